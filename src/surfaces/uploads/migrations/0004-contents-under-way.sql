-- Compatible since 0002: only an index.

-- Files whose content is blocked: also those that are still processed.
create index files_content on uploads.files (sha256) where state in ('available', 'uploaded');
drop index uploads.files_sha256;
