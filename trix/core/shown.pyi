from numpy import uint8, uint32
from numpy.typing import NDArray

def line_codes(codes: NDArray[uint32], skip: int, take: int, kinds: NDArray[uint8]) -> NDArray[uint32]: ...
