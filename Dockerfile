# Serves a folder of XML:
#
#     docker build -t trix .
#     docker run -v ./xml:/data:ro -v trix-index:/index -p 8474:8474 trix
#
# docs/install.md says what else it can do; scripts/parts/container/start is what it starts.
ARG PYTHON=3.13

# A C compiler is fetched as a Python package, and stays in this stage.
FROM python:${PYTHON}-slim AS build
WORKDIR /source
COPY . .
RUN python -m venv --without-pip /opt/trix \
    && pip --no-cache-dir --python /opt/trix/bin/python install ".[web]" \
    && find /opt/trix -depth -type d -name tests -exec rm -r {} + \
    && install scripts/parts/container/start /opt/trix/bin/start

FROM python:${PYTHON}-slim
LABEL org.opencontainers.image.title="Trix" \
    org.opencontainers.image.description="XML element retrieval: a folder of XML, indexed and served" \
    org.opencontainers.image.licenses="Apache-2.0"
COPY --from=build /opt/trix /opt/trix
# A new volume takes its owner from the folder of the image. Where / is read-only, temporary files go to the index.
RUN mkdir /data /index && chown 10001:10001 /index
ENV PATH=/opt/trix/bin:$PATH HOME=/index PYTHONUNBUFFERED=1
WORKDIR /index
VOLUME /index
USER 10001:10001
EXPOSE 8474
HEALTHCHECK --interval=30s --timeout=5s --start-period=30m \
    CMD ["python", "-c", "import urllib.request; urllib.request.urlopen('http://127.0.0.1:8474/api/v1/health', timeout=4)"]
ENTRYPOINT ["start"]
