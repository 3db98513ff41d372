// Lucene with its default analyzer for English and its default BM25. Reads passages and queries, one JSON-free
// line each: id, tab, text without tabs. Writes for each query its id and the ids of the best 50 passages.

import java.io.PrintWriter;
import java.nio.file.Files;
import java.nio.file.Path;
import org.apache.lucene.analysis.Analyzer;
import org.apache.lucene.analysis.en.EnglishAnalyzer;
import org.apache.lucene.document.Document;
import org.apache.lucene.document.Field;
import org.apache.lucene.document.StoredField;
import org.apache.lucene.document.TextField;
import org.apache.lucene.index.DirectoryReader;
import org.apache.lucene.index.IndexWriter;
import org.apache.lucene.index.IndexWriterConfig;
import org.apache.lucene.search.IndexSearcher;
import org.apache.lucene.search.ScoreDoc;
import org.apache.lucene.store.Directory;
import org.apache.lucene.store.MMapDirectory;
import org.apache.lucene.util.QueryBuilder;

public class LucenePeer {
  public static void main(String[] files) throws Exception {
    Analyzer analyzer = new EnglishAnalyzer();
    Directory directory = new MMapDirectory(Path.of(files[3]));
    long began = System.nanoTime();
    int count = 0;
    try (IndexWriter writer = new IndexWriter(directory, new IndexWriterConfig(analyzer))) {
      for (String line : Files.readAllLines(Path.of(files[0]))) {
        String[] parts = line.split("\t", 2);
        Document document = new Document();
        document.add(new StoredField("id", parts[0]));
        document.add(new TextField("text", parts[1], Field.Store.NO));
        writer.addDocument(document);
        count++;
      }
    }
    double indexing = (System.nanoTime() - began) / 1e9;
    QueryBuilder builder = new QueryBuilder(analyzer);
    try (DirectoryReader reader = DirectoryReader.open(directory);
        PrintWriter out = new PrintWriter(files[2])) {
      IndexSearcher searcher = new IndexSearcher(reader);
      began = System.nanoTime();
      int queries = 0;
      for (String line : Files.readAllLines(Path.of(files[1]))) {
        String[] parts = line.split("\t", 2);
        StringBuilder found = new StringBuilder(parts[0]);
        var query = builder.createBooleanQuery("text", parts[1]);
        if (query != null) {
          for (ScoreDoc hit : searcher.search(query, 50).scoreDocs) {
            found.append('\t').append(searcher.doc(hit.doc).get("id"));
          }
        }
        out.println(found);
        queries++;
      }
      double searching = (System.nanoTime() - began) / 1e6;
      System.out.printf("%.0f %.3f%n", count / indexing, searching / queries);
    }
  }
}
