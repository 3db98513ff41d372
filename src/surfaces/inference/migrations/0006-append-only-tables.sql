-- Prices older than 60 days could be deleted, and the table of prices truncated.
drop function inference.refuse_change cascade;
select kernel.make_append_only('inference.usage_records', 'retention');
select kernel.make_append_only('inference.generation_usage', 'retention');
select kernel.make_append_only('inference.model_prices');
