"""The presets of citations, trials, clinical documents, books, standards, bibles, dictionaries and papers of trade."""

from __future__ import annotations

from pathlib import Path
from typing import Any

import pytest
from lxml import etree

import trix
from trix.indexer.document.parse import parse
from trix.indexer.profile.detect import pick, signature
from trix.indexer.profile.profile import load_profile
from trix.web.reading.roles import Roles

CITATIONS = """<PubmedArticleSet><PubmedArticle><MedlineCitation Status="MEDLINE"><PMID Version="1">101</PMID>
<DateCompleted><Year>1999</Year></DateCompleted>
<Article><Journal><ISSN>1111-2222</ISSN><JournalIssue><Volume>7</Volume><PubDate><MedlineDate>2002 Jan-Feb</MedlineDate>
</PubDate></JournalIssue><Title>Journal of Looms</Title></Journal>
<ArticleTitle>Effects of <i>weaving</i> on sleep.</ArticleTitle>
<Abstract><AbstractText Label="METHODS">We asked r<sup>2</sup> weavers.</AbstractText>
<AbstractText Label="RESULTS">They slept.</AbstractText></Abstract>
<AuthorList><Author><LastName>Webster</LastName><ForeName>Ann</ForeName><Initials>A</Initials></Author>
<Author><CollectiveName>Loom Group</CollectiveName></Author></AuthorList><Language>eng</Language>
<PublicationTypeList><PublicationType>Journal Article</PublicationType></PublicationTypeList></Article>
<MedlineJournalInfo><Country>Norway</Country><MedlineTA>J Looms</MedlineTA></MedlineJournalInfo>
<MeshHeadingList><MeshHeading><DescriptorName>Sleep</DescriptorName><QualifierName>physiology</QualifierName>
</MeshHeading></MeshHeadingList></MedlineCitation>
<PubmedData><ArticleIdList><ArticleId IdType="doi">10.1/x</ArticleId></ArticleIdList></PubmedData></PubmedArticle>
<PubmedArticle><MedlineCitation Status="MEDLINE"><PMID>102</PMID><Article><Journal><JournalIssue><PubDate>
<Year>2010</Year><Month>Mar</Month></PubDate></JournalIssue><Title>Dyes</Title></Journal>
<ArticleTitle>Madder.</ArticleTitle></Article></MedlineCitation></PubmedArticle></PubmedArticleSet>"""

TRIAL = """<clinical_study><required_header><download_date>processed this data on May 1, 2019</download_date>
</required_header><id_info><org_study_id>W-1</org_study_id><nct_id>NCT00000009</nct_id></id_info>
<brief_title>Wool for cold feet</brief_title><sponsors><lead_sponsor><agency>Sheep Trust</agency></lead_sponsor>
</sponsors><brief_summary><textblock>Socks are compared.</textblock></brief_summary>
<overall_status>Completed</overall_status><start_date type="Actual">November 12, 2015</start_date>
<phase>Phase 2</phase><study_type>Interventional</study_type>
<primary_outcome><measure>Warmth</measure><time_frame>one winter</time_frame></primary_outcome>
<enrollment type="Actual">31</enrollment><condition>Cold Feet</condition><condition>Frostbite</condition>
<intervention><intervention_type>Device</intervention_type><intervention_name>Sock</intervention_name></intervention>
<eligibility><criteria><textblock>Inclusion: two feet.</textblock></criteria><gender>All</gender></eligibility>
<location><facility><name>Hill Clinic</name><address><city>Bergen</city><country>Norway</country></address></facility>
</location><location_countries><country>Norway</country></location_countries></clinical_study>"""

CLINICAL = """<ClinicalDocument xmlns="urn:hl7-org:v3"><typeId root="2.16"/><code code="34133-9" displayName="Summary"/>
<title>Summary of Care</title><effectiveTime value="20130717114446.302-0500"/><languageCode code="en-US"/>
<recordTarget><patientRole><addr><city>Portland</city></addr><patient><name><given>Eve</given><family>Stone</family>
</name>
<administrativeGenderCode code="F" displayName="Female"/><birthTime value="19750501"/></patient></patientRole>
</recordTarget><component><structuredBody><component><section><code displayName="Allergies"/><title>Allergies</title>
<text><table><thead><tr><th>Substance</th><th>Reaction</th></tr></thead><tbody><tr><td><content>Penicillin</content>
<content>G</content></td><td>Hives</td></tr></tbody></table><paragraph>No others. <content ID="x">Asked</content>twice.
</paragraph></text><entry><act><text>Penicillin allergy</text></act></entry></section></component></structuredBody>
</component></ClinicalDocument>"""

BOOK = """<book book-type="monograph" xml:lang="en"><book-meta><book-id>b1</book-id><book-title-group><book-title>On
Looms</book-title></book-title-group><contrib-group><contrib contrib-type="author"><name><surname>Webster</surname>
<given-names>Ann</given-names></name></contrib></contrib-group><pub-date><year>2004</year></pub-date><isbn>1-2</isbn>
<publisher><publisher-name>Shuttle Press</publisher-name></publisher></book-meta><book-body><book-part
book-part-type="chapter"><book-part-meta><title-group><label>1</label><title>Warps</title></title-group><abstract><p>Of
threads.</p></abstract></book-part-meta><body><p>Threads run long<xref ref-type="bibr">3</xref>.</p><sec><title>Tension
</title><p>Keep taut.</p></sec></body></book-part></book-body></book>"""

STANDARD = """<standard xmlns:tbx="urn:iso:std:iso:30042:ed-1" xml:lang="en"><front><iso-meta><title-wrap
xml:lang="fr"><main>Laine
</main><full>La laine</full></title-wrap><title-wrap xml:lang="en"><main>Wool</main><full>Wool - Tests</full>
</title-wrap>
<std-ident><originator>ISO</originator><doc-type>is</doc-type></std-ident><std-ref type="dated">ISO 99:2016</std-ref>
<release-date>2016-05-01</release-date><comm-ref>ISO/TC 38</comm-ref><ics>59.060</ics></iso-meta><sec
sec-type="foreword"><title>Foreword</title><p>Bodies meet.</p></sec></front><body><sec><label>3</label><title>Terms
</title><term-sec><label>3.1</label><tbx:termEntry id="t"><tbx:langSet xml:lang="en"><tbx:definition>hair of
sheep</tbx:definition><tbx:tig><tbx:term>fleece</tbx:term></tbx:tig></tbx:langSet></tbx:termEntry></term-sec></sec>
<sec><label>4</label><title>Tests</title><p>See <std><std-id-group><std-id>x1d167f5</std-id></std-id-group>ISO
12100</std>
for more.</p></sec></body></standard>"""

OSIS = """<osis xmlns="http://www.bibletechnologies.net/2003/OSIS/namespace"><osisText osisIDWork="T" xml:lang="en">
<header>
<revisionDesc><p>converted</p></revisionDesc><work osisWork="T"><title>The Test Bible</title><creator>Ann
Webster</creator>
<creator role="encoder">Tool</creator><date>1911</date><type type="OSIS">Bible</type><language>en</language></work>
</header>
<div type="book" osisID="Gen"><title>The book of</title><chapter osisID="Gen.1"><title>Beginnings</title><verse
osisID="Gen.1.1"><w lemma="x">In</w> <w>the</w> <w>beginning</w><note>first</note></verse> <verse osisID="Gen.1.2">The
<divineName>Lord</divineName>'s <transChange>own</transChange> earth.</verse></chapter></div>
<div type="book" osisID="Ruth"><chapter sID="Ruth.1" osisID="Ruth.1"/><p><verse sID="Ruth.1.1" osisID="Ruth.1.1"/>When
the
judges ruled<verse eID="Ruth.1.1"/></p><chapter eID="Ruth.1"/></div></osisText></osis>"""

USFX = """<usfx><book id="GEN"><id id="GEN">converted</id><h>Genesis</h><c id="1"/>
<v id="1"/>In the <wj>begin</wj>ning.<ve/><v id="2"/>Earth was void.<ve/></book>
<book id="MAT"><h>Matthew</h><c id="1"/><s>The line</s><p><v id="1"/>A record of
birth.<ve/> <v id="2"/>Abraham begat.<ve/></p><q><add>Sing</add></q></book></usfx>"""

DICTIONARY = """<TEI xmlns="http://www.tei-c.org/ns/1.0"><teiHeader><fileDesc><titleStmt><title>English-Irish FreeDict
Dictionary</title><respStmt><resp>Maintainer</resp><name>Ann Webster</name></respStmt></titleStmt><extent>2 headwords
</extent><publicationStmt><publisher>FreeDict</publisher></publicationStmt><notesStmt><note type="status">small</note>
</notesStmt></fileDesc></teiHeader><text><body><entry><form><orth>wool</orth><pron>wul</pron></form><gramGrp>
<pos>n</pos>
</gramGrp><sense><cit type="trans"><quote>olann</quote></cit></sense></entry><entry><form><orth>loom</orth></form>
<sense>
<cit type="trans"><quote>seol</quote></cit></sense></entry></body></text></TEI>"""

INVOICE = """<Invoice xmlns="urn:oasis:names:specification:ubl:schema:xsd:Invoice-2"
xmlns:c="urn:oasis:names:specification:ubl:schema:xsd:CommonBasicComponents-2"
xmlns:a="urn:a">
<c:CustomizationID>urn:rules</c:CustomizationID><c:ID>4711</c:ID><c:IssueDate>2017-11-13</c:IssueDate>
<c:DueDate>2017-12-01
</c:DueDate><c:DocumentCurrencyCode>EUR</c:DocumentCurrencyCode><a:AccountingSupplierParty><a:Party><a:PartyName>
<c:Name>
Sheep Ltd</c:Name></a:PartyName><a:PostalAddress><c:CityName>Bergen</c:CityName></a:PostalAddress></a:Party>
</a:AccountingSupplierParty><a:AccountingCustomerParty><a:Party><a:PartyLegalEntity><c:RegistrationName>Weavers AS
</c:RegistrationName></a:PartyLegalEntity></a:Party></a:AccountingCustomerParty><a:PaymentTerms><c:Note>Within ten days
</c:Note></a:PaymentTerms><a:LegalMonetaryTotal><c:PayableAmount currencyID="EUR">1656.25</c:PayableAmount>
</a:LegalMonetaryTotal><a:InvoiceLine><c:ID>1</c:ID><c:LineExtensionAmount
currencyID="EUR">1656.25</c:LineExtensionAmount>
<a:Item><c:Name>Wool</c:Name></a:Item></a:InvoiceLine></Invoice>"""

DOCUMENTS = {
    "pubmed": CITATIONS,
    "trials": TRIAL,
    "ccda": CLINICAL,
    "bits": BOOK,
    "sts": STANDARD,
    "osis": OSIS,
    "usfx": USFX,
    "freedict": DICTIONARY,
    "ubl": INVOICE,
}


def built(folder: Path, text: str) -> trix.Index:
    (folder / "c").mkdir()
    (folder / "c" / "a.xml").write_text(text, encoding="utf-8")
    trix.build(folder / "c", folder / "i", jobs=1)  # the profile is picked by the document
    return trix.open(folder / "i")


def tags(index: trix.Index) -> set[str]:
    """Return the tags of the content elements."""
    table = index.files.elements
    table.everything()
    return {index.files.step_tags[step] for step in table.step[table.is_content].tolist()}


def answers(index: trix.Index, query: str, **options: Any) -> list[tuple[str, tuple[str, ...]]]:
    asked: dict[str, Any] = {
        "preset": "reading",
        "top": 20,
        "per_document": "all",
        "size": "any",
        "strategy": "thorough",
    }
    return [(result.tag, result.breadcrumb) for result in index.search(query, **asked | options)]


def picked(text: str) -> str:
    """Return the preset that a document asks for."""
    return pick([signature(parse(text.encode(), "a.xml"))])[0]


@pytest.mark.parametrize("name", DOCUMENTS)
def test_a_document_asks_for_its_preset(name: str) -> None:
    assert picked(DOCUMENTS[name]) == name


@pytest.mark.parametrize(
    ("text", "preset"),
    [
        ("<article><front/><body/></article>", "jats"),
        ("<book><bookinfo/><chapter/></book>", "docbook"),
        ("<book><title/><chapter/></book>", "docbook"),
        ("<book-part-wrapper/>", "bits"),
        ("<collection><collection-meta/></collection>", "bits"),
        ("<collection><item/></collection>", "generic"),
        ("<adoption><adoption-front/><standard/></adoption>", "sts"),
        ("<standard><clause/></standard>", "generic"),
        ("<TEI xmlns='http://www.tei-c.org/ns/1.0'><teiHeader/><text><body><div/></body></text></TEI>", "tei"),
        ("<TEI xmlns='http://www.tei-c.org/ns/1.0'><text><body><p><entry/></p></body></text></TEI>", "tei"),
        ("<TEI.2><text><body><superEntry/></body></text></TEI.2>", "freedict"),
        ("<PubmedArticle/>", "pubmed"),
        ("<ClinicalDocument xmlns='urn:x'><component/></ClinicalDocument>", "generic"),
        ("<Invoice><ID/></Invoice>", "generic"),
    ],
)
def test_neighbours_ask_for_their_own(text: str, preset: str) -> None:
    assert picked(text) == preset


@pytest.mark.parametrize("name", ["bits", "sts", "freedict"])
def test_what_extends_a_preset_is_shown_with_its_roles(name: str) -> None:
    profile = load_profile(name)
    parent = {"bits": "jats", "sts": "jats", "freedict": "tei"}[name]
    assert parent in profile.extends
    roles = Roles(profile)
    assert roles.of(etree.fromstring("<persname/>" if parent == "tei" else "<def-list/>"))[0] == (
        "inline" if parent == "tei" else "terms"
    )


@pytest.mark.usefixtures("both_readers")
def test_citations(tmp_path: Path) -> None:
    with built(tmp_path, CITATIONS) as index:
        first = index.search("weavers", per_document="all")[0]
        assert (first.doc, first.title) == ("101", "Effects of weaving on sleep.")
        assert first.fields == {
            "title": "Effects of weaving on sleep.",
            "author": ["Webster", "Loom Group"],
            "year": 2002,
            "date": "2002",
            "journal": "Journal of Looms",
            "type": ["Journal Article"],
            "subject": ["Sleep"],
            "country": "Norway",
            "language": "eng",
            "status": "MEDLINE",
            "doi": "10.1/x",
        }
        assert index.search("madder")[0].doc == "102" and index.search("madder")[0].fields["year"] == 2010
        assert ("AbstractText", ("Abstract", "METHODS")) in answers(index, "r2")
        assert ("MeshHeading", ("Medical subject headings",)) in answers(index, "physiology")
        assert not len(index.search("1999"))
        assert {"ArticleTitle", "AbstractText", "Author", "Journal", "MeshHeading"} <= tags(index)
        assert not {"i", "sup", "LastName", "Year", "DescriptorName"} & tags(index)


@pytest.mark.usefixtures("both_readers")
def test_a_trial(tmp_path: Path) -> None:
    with built(tmp_path, TRIAL) as index:
        first = index.search("socks")[0]
        assert (first.doc, first.title) == ("NCT00000009", "Wool for cold feet")
        assert first.fields["date"][:4] == "2015"
        assert first.fields | {"date": ""} == {
            "title": "Wool for cold feet",
            "condition": ["Cold Feet", "Frostbite"],
            "intervention": ["Sock"],
            "phase": "Phase 2",
            "status": "Completed",
            "type": "Interventional",
            "sponsor": "Sheep Trust",
            "country": ["Norway"],
            "year": 2015,
            "date": "",
            "enrollment": 31,
            "gender": "All",
        }
        assert ("Summary",) in [path for _, path in answers(index, "socks")]
        assert ("Eligibility", "Criteria") in [path for _, path in answers(index, "inclusion")]
        assert ("primary_outcome", ("Primary outcome: Warmth",)) in answers(index, "winter")
        assert ("location", ("Hill Clinic",)) in answers(index, "bergen")
        assert not len(index.search("processed"))
        assert not {"city", "measure", "intervention_type"} & tags(index)


@pytest.mark.parametrize("start", ["July 2001", "July 4, 2001", "2001-07"])
def test_the_year_of_a_trial_is_that_of_its_first_day(tmp_path: Path, start: str) -> None:
    with built(tmp_path, TRIAL.replace("November 12, 2015", start)) as index:
        assert index.search("socks")[0].fields["year"] == 2001


@pytest.mark.usefixtures("both_readers")
def test_a_clinical_document(tmp_path: Path) -> None:
    with built(tmp_path, CLINICAL) as index:
        first = index.search("hives", per_document="all")[0]
        assert first.title == "Summary of Care, Eve Stone"
        assert first.fields == {
            "title": "Summary of Care",
            "type": "Summary",
            "patient": ["Eve Stone"],
            "gender": "Female",
            "birth": "1975-05-01",
            "date": "2013-07-17",
            "year": 2013,
            "section": ["Allergies"],
            "language": "en-US",
            "part": "Allergies",
        }
        assert ("tr", ("Allergies",)) in answers(index, "penicillin hives")
        assert not any(tag in ("entry", "act") for tag, _ in answers(index, "penicillin"))
        assert ("recordTarget", ("Patient",)) in answers(index, "portland")
        assert len(index.search('"penicillin g"')) and len(index.search("asked")) and len(index.search("twice"))
        assert {"tr", "#text", "title"} <= tags(index) and not {"td", "content", "given"} & tags(index)


@pytest.mark.usefixtures("both_readers")
def test_a_book(tmp_path: Path) -> None:
    with built(tmp_path, BOOK) as index:
        first = index.search("tension", per_document="all")[0]
        assert first.title == "On Looms"
        assert first.fields == {
            "title": "On Looms",
            "publisher": "Shuttle Press",
            "author": ["Webster Ann"],
            "year": 2004,
            "date": "2004",
            "type": "monograph",
            "language": "en",
            "isbn": ["1-2"],
            "section": "Tension",
        }
        assert ("p", ("1 Warps", "Tension")) in answers(index, "keep")
        assert ("1 Warps", "Abstract") in [path for _, path in answers(index, "threads")]
        assert len(index.search("long")) and not len(index.search("long3"))
        assert index.search("shuttle", preset="reading").notices  # of a quiet part
        assert not {"surname", "year", "xref"} & tags(index)


@pytest.mark.usefixtures("both_readers")
def test_a_standard(tmp_path: Path) -> None:
    with built(tmp_path, STANDARD) as index:
        first = index.search("sheep", per_document="all")[0]
        assert first.title == "Wool - Tests"
        assert first.fields == {
            "title": "Wool - Tests",
            "number": "ISO 99:2016",
            "publisher": "ISO",
            "author": ["ISO/TC 38"],
            "date": "2016-05-01",
            "year": 2016,
            "type": "is",
            "subject": ["59.060"],
            "language": "en",
            "section": "Terms",
        }
        assert ("3 Terms", "3.1 fleece") in [path[:2] for _, path in answers(index, "sheep")]
        assert ("Foreword",) in [path for _, path in answers(index, "bodies")]
        assert len(index.search('"see iso 12100 for"')) and not len(index.search("x1d167f5"))
        assert "termEntry" in tags(index) and not {"definition", "term", "std", "main"} & tags(index)


@pytest.mark.usefixtures("both_readers")
def test_a_bible_in_osis(tmp_path: Path) -> None:
    with built(tmp_path, OSIS) as index:
        first = index.search("beginning", per_document="all")[0]
        assert first.title == "The Test Bible"
        assert first.fields == {
            "title": "The Test Bible",
            "author": ["Ann Webster"],
            "date": "1911",
            "year": 1911,
            "type": "Bible",
            "language": "en",
            "book": "Gen",
        }
        assert ("verse", ("Gen", "Gen.1", "Gen.1.1")) in answers(index, '"in the beginning"')
        assert ("verse", ("Gen", "Gen.1", "Gen.1.2")) in answers(index, "lord")
        assert ("p", ("Ruth",)) in answers(index, "judges")
        assert not len(index.search("converted"))
        assert {"verse", "p", "title"} <= tags(index) and not {"w", "divineName", "transChange"} & tags(index)


@pytest.mark.usefixtures("both_readers")
def test_a_bible_in_usfx(tmp_path: Path) -> None:
    with built(tmp_path, USFX) as index:
        first = index.search("void", preset="reading")[0]
        assert (first.title, first.fields) == ("Genesis", {"title": "Genesis", "book": "GEN"})
        verse = index.search("beginning", size="any", per_document="all", strategy="thorough")[0]
        assert (verse.tag, verse.text) == ("#text", "In the beginning.")
        line = ("p", ("The line",))
        assert line in answers(index, "record") and line in answers(index, "abraham begat")
        assert not len(index.search("converted"))
        assert {"#text", "p", "q", "h"} <= tags(index) and not {"v", "ve", "wj", "add"} & tags(index)


@pytest.mark.usefixtures("both_readers")
def test_a_dictionary(tmp_path: Path) -> None:
    with built(tmp_path, DICTIONARY) as index:
        first = index.search("olann", per_document="all")[0]
        assert (first.tag, first.breadcrumb) == ("entry", ("wool",))
        assert first.title == "English-Irish FreeDict Dictionary"
        assert first.fields == {
            "title": "English-Irish FreeDict Dictionary",
            "author": ["Ann Webster"],
            "publisher": "FreeDict",
            "languages": "English-Irish",
            "headwords": 2,
            "status": "small",
        }
        assert [tag for tag, _ in answers(index, "//entry[.//pos = 'n']")] == ["entry"]
        assert not {"orth", "quote", "pos", "sense", "cit"} & tags(index)


@pytest.mark.usefixtures("both_readers")
def test_an_invoice(tmp_path: Path) -> None:
    with built(tmp_path, INVOICE) as index:
        first = index.search("wool", per_document="all")[0]
        assert (first.tag, first.breadcrumb, first.title) == ("InvoiceLine", ("Line 1 Wool",), "Invoice 4711")
        assert first.fields == {
            "title": "Invoice 4711",
            "type": "Invoice",
            "number": "4711",
            "date": "2017-11-13",
            "year": 2017,
            "due": "2017-12-01",
            "supplier": "Sheep Ltd",
            "customer": "Weavers AS",
            "currency": "EUR",
            "amount": 1656.25,
            "item": ["Wool"],
        }
        assert ("AccountingSupplierParty", ("Supplier",)) in answers(index, "bergen")
        assert ("PaymentTerms", ("Terms of payment",)) in answers(index, "ten days")
        assert [tag for tag, _ in answers(index, "//InvoiceLine[.//LineExtensionAmount > 1000]")] == ["InvoiceLine"]
        assert not len(index.search("rules"))
        assert not {"Name", "PayableAmount", "Item"} & tags(index)
