-- The narrow session that created a connector: it adds documents only while that session lives and
-- its scope allows it. Null: the connector belongs to the account.
alter table retrieval.connectors add column session_id uuid;
