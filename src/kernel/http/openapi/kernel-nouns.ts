/** What the members of the platform's own nouns are, for the published document. */
import { ofNoun, type Members } from './reference.ts'

export const kernelNouns: Members = {
  ...ofNoun('GetRootReply', {
    name: 'The name of the platform.',
    version: 'Its version.',
    docs: 'Where the documentation is.',
    openapi: 'Where the OpenAPI document is.',
    health: 'Where to ask whether it lives.',
  }),
  ...ofNoun('GetHealthReply', {
    status: 'The process answers.',
  }),
  ...ofNoun('OpenApiDocument', {
    info: 'The title, the version and the licence.',
    paths: 'The operations, by path and method.',
    components: 'What operations share.',
  }),
  ...ofNoun('ProblemCode', {
    code: 'The stable name of the error.',
    status: 'The HTTP status.',
    title: 'What the error means, in a few words.',
    retryable: 'Whether the same request may succeed later.',
    description: 'What the error means.',
    cause: 'Why it happens.',
    cure: 'What to do about it.',
  }),
  ...ofNoun('Readiness', {
    status: 'Whether the process takes requests.',
    checks: 'What it needs, and whether each of these is there.',
  }),
  ...ofNoun('LoggedRequest FoundRequest', {
    request_id: 'The id of the request, as in `X-Request-Id`.',
    principal_id: 'Who asked; null without a log-in.',
    status: 'The HTTP status of the reply.',
  }),
  ...ofNoun('LoggedRequest', {
    created_at: 'When the request came.',
  }),
  ...ofNoun('FoundRequest', {
    route: 'The operation; null if no route has the path.',
    code: 'Why it was refused; null if it was not.',
    permission: 'The permission that the caller lacked.',
    pointer: 'Where the first wrong member is.',
    state: 'Whether the reply was sent.',
    ms: 'Milliseconds until the reply was sent.',
    about: 'The ids in the path.',
    times: 'How many alike requests it stands for.',
    created_at: 'When the request came.',
    completed_at: 'When the reply was stored or sent.',
  }),
  ...ofNoun('AuditEvent', {
    tenant_id: 'The tenant in which it was done; null for the platform.',
    actor: 'Who did it.',
    action: 'What was done, such as `links.links.disable`.',
    target: 'What it was done to, with its kind.',
    outcome: 'Whether it was done or refused.',
    request_id: 'The request that did it; null for the work of the platform.',
    diff_hash: 'A hash of the change, if one was recorded.',
    occurred_at: 'When it was done.',
  }),
  ...ofNoun('Deprecation', {
    operation: 'The operation that will go, or that has the member.',
    member: 'The member that will go; null for the whole operation.',
    deprecated_at: 'Since when it should not be used.',
    sunset_at: 'When it ends.',
    replacement: 'What to use in its place.',
    calls: 'How often your tenant has called it.',
    last_called_at: 'When your tenant last called it.',
  }),
  ...ofNoun('EventConsumer EventPark', {
    consumer: 'The name of the consumer.',
  }),
  ...ofNoun('EventConsumer', {
    position: 'How far it has read the log.',
    lag_events: 'How many events it has still to read, counted up to a limit.',
    lag_seconds: 'The age of the oldest of them.',
    parked: 'How many events are put aside because they failed.',
  }),
  ...ofNoun('EventPark', {
    event_id: 'The event that failed.',
    aggregate_id: 'The thing that the event is about.',
    attempts: 'How often it was tried.',
    next_attempt_at: 'When it is tried again; null if it is not.',
    state: '`waiting` is tried again; `dead` waits for an operator.',
    last_error_code: 'Why it failed last.',
  }),
  ...ofNoun('EventType PublishedEvent', {
    type: 'The type of event.',
  }),
  ...ofNoun('EventType', {
    origin: 'Whether the code declares it, or `PUT /v1/event-types`.',
    description: 'What the event says.',
    schema_version: 'The version of the schema.',
    schema: 'The JSON Schema of `data`.',
    archived_at: 'When it was archived; null while it can be published.',
    created_at: 'When it was declared; null for one of the code.',
    updated_at: 'When it was last changed; null for one of the code.',
  }),
  ...ofNoun('PutEventType', {
    description: 'What the event says.',
    schema: 'The JSON Schema of `data`.',
  }),
  ...ofNoun('PublishedEvents', {
    event_ids: 'The ids of the events, in the order of the request.',
  }),
  ...ofNoun('PublishedEvent', {
    aggregate_type: 'The kind of thing that the event is about.',
    aggregate_id: 'The thing that the event is about.',
    aggregate_version: 'The version of that thing.',
    tenant_id: 'The tenant to which the event belongs.',
  }),
  ...ofNoun('PublishEvents', {
    events: 'The events to publish. All of them are stored, or none.',
  }),
  ...ofNoun('Limit', {
    name: 'The name of the limit.',
    value: 'What holds here.',
    unit: 'The unit of the value.',
    default: 'What holds without a setting.',
    applies_to: 'What is limited.',
  }),
  ...ofNoun('Match', {
    id: 'The id of the row.',
    state: 'The state of the row; null if it has none.',
  }),
  ...ofNoun('ProviderMessageReceived', {
    received: 'The message is stored.',
  }),
  ...ofNoun('AuditEvent', {
    reason: 'The reason that was given; null if none was asked for.',
  }),
}
