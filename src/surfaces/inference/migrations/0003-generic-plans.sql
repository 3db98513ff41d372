-- Compatible since 0002: nothing that an older release reads or writes has changed.

-- Both return at most one row. PostgreSQL assumed 1,000, so that a general plan of the statement that settles
-- a call seemed expensive, and each execution was planned by itself: 0.5 of 1.7 ms.
alter function inference.reserve rows 1;
alter function inference.settle rows 1;

-- Deployments are never deleted. The check locked the row of the deployment for every call, so that all calls
-- at one time shared one growing list of lockers.
alter table inference.inference_operations
  drop constraint inference_operations_deployment_tenant_id_model_deployment_fkey;

-- Makes the transaction fail that reserved more than there is, so that COMMIT can be sent with the reservation.
create function inference.refuse_quota(_missed record) returns void language plpgsql as $$
begin
  raise exception 'a limit has too little left'
    using constraint = 'quota_room', detail = jsonb_build_object('missed', _missed.missed,
      'scope', _missed.scope, 'limit_value', _missed.limit_value::text, 'resets_at',
      to_char(_missed.resets_at at time zone 'UTC', 'YYYY-MM-DD"T"HH24:MI:SS.MS"Z"'));
end $$;
