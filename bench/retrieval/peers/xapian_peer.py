"""Xapian with its default weights (BM25) and English stemmer. The same files as LucenePeer.java."""

import sys
import xapian

passages, queries, found, folder = sys.argv[1:5]

database = xapian.WritableDatabase(folder, xapian.DB_CREATE_OR_OVERWRITE)
terms = xapian.TermGenerator()
terms.set_stemmer(xapian.Stem("en"))
with open(passages, encoding="utf8") as lines:
    for line in lines:
        name, text = line.rstrip("\n").split("\t", 1)
        document = xapian.Document()
        terms.set_document(document)
        terms.index_text(text)
        document.set_data(name)
        database.add_document(document)
database.commit()

parser = xapian.QueryParser()
parser.set_stemmer(xapian.Stem("en"))
parser.set_stemming_strategy(xapian.QueryParser.STEM_SOME)
enquire = xapian.Enquire(database)
with open(queries, encoding="utf8") as lines, open(found, "w", encoding="utf8") as out:
    for line in lines:
        name, text = line.rstrip("\n").split("\t", 1)
        # No flags: signs of a query language are words here.
        enquire.set_query(parser.parse_query(text, 0))
        ids = [hit.document.get_data().decode() for hit in enquire.get_mset(0, 50)]
        out.write("\t".join([name, *ids]) + "\n")
