drop trigger price_versions_kept on commerce.price_versions;
drop trigger inventory_movements_kept on commerce.inventory_movements;
select kernel.make_append_only('commerce.price_versions');
select kernel.make_append_only('commerce.inventory_movements');
select kernel.make_append_only('commerce.order_state_history');
