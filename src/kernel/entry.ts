/** The entry `#dodeca/kernel`: what surfaces may use, kept stable. Other files are the kernel's own. */

// Who asks, what they may do, and how often.
export { clientAddress, proxyCheck } from './access/client-address.ts'
export { openLocalRate, type LocalRate } from './access/local-rate.ts'
export { lacks } from './access/permission-denied.ts'
export {
  allowsSome,
  allowsType,
  type Permission,
  type PermissionCatalog,
} from './access/permissions.ts'
export type { Access, Principal } from './access/principal.ts'
export {
  heldOf,
  isNarrow,
  narrowSession,
  requireScope,
  scopeWords,
  withinScope,
  type Scope,
} from './access/scopes.ts'
export { isLoopback, networkOf } from './access/rate.ts'
export type { SignedGrant } from './access/signed-url.ts'
export type { Bucket, Taken } from './access/take.ts'

// Work whose time and memory are limited.
export { boundedCache } from './bounded-cache.ts'
export { ChildFailed, openChildPool, type Bounds } from './bounded/child-pool.ts'
export { endChildren, startChild, watchMemory, type ChildProgram } from './bounded/child-process.ts'
export { openFairPlaces } from './bounded/fair-places.ts'
export { compileSchema, type Fit } from './bounded/json-schema.ts'
export { compilePattern, type Pattern } from './bounded/pattern.ts'
export { inTurn } from './bounded/turns.ts'
export { Refused, TooMuchWork, Work } from './bounded/work.ts'

// Time and money.
export { dayOf, dayText, isTime, openClock, parseTime, rfc3339, type Clock } from './clock.ts'
export { digitsOf, formatMoney } from './currencies.ts'

// PostgreSQL.
export { columnsOf } from './database/columns.ts'
export type { Db, Reader, Tx } from './database/db.ts'
export { BeginAgain, DatabaseBusy, SqlState, isUnavailable, violates } from './database/failures.ts'
export { gather } from './database/gather.ts'
export { logFailure } from './database/log-failure.ts'
export { sql, type Sql } from './database/sql.ts'

// Errors.
export { codeOf } from './errors/error-code.ts'
export { sentenceOf } from './errors/field-sentences.ts'
export { JobFailure, jobFailureOf, JobPutOff, type StepWaits } from './errors/job-failure.ts'
export {
  Problem,
  problem,
  problemsOf,
  renderProblem,
  type ErrorEntry,
  type FieldError,
} from './errors/problem.ts'
export { StartError } from './errors/start-error.ts'

// Events.
export { LoggedEvent } from './events/event.ts'
export { events_read, mayRead, nounOf, patternsOf, readablePatterns } from './events/patterns.ts'
export type { EventTypes } from './events/event-types.ts'
export { head_position, readLog } from './events/log/read.ts'
export type { Fault } from './faults.ts'

// Routes, requests, replies, lists, streams.
export { after } from './http/contract/after.ts'
export { batch_members_max, escapePointer, inspect, parseJson } from './http/input/content.ts'
export { isAllowed, otherOrigins } from './http/server/cors.ts'
export { rangeOf } from './http/contract/byte-range.ts'
export type { CursorPart, ListScope, Page } from './http/contract/cursor.ts'
export { Day, dayRange, days_max, type DayRange } from './http/contract/day-range.ts'
export { deprecated } from './http/contract/deprecation.ts'
export {
  etag,
  expectVersion,
  expectedVersions,
  hasVersion,
  isMatched,
  isNotModified,
  preconditionFailed,
  requireConditions,
  viewTag,
  type Conditions,
} from './http/contract/etag.ts'
export { boundsOf } from './http/input/field-errors.ts'
export { list } from './http/lists/list.ts'
export { searchIn } from './http/lists/matches.ts'
export { begins, equal, exact, looked, named, numbered, owner } from './http/lists/members.ts'
export type { Searcher as SearchCaller } from './http/contract/list-facts.ts'
export type { AnySpec as SearchSpec, ListContext, ListDeps } from './http/lists/spec.ts'
export { lookLogo, lookStyle, type Look } from './http/look.ts'
export { hashSource, htmlPage, markup, pageHeaders, trusted, type Markup } from './http/markup.ts'
export { ofNoun, type Reference } from './http/openapi/reference.ts'
export { page, type List } from './http/contract/page.ts'
export { providerErrors } from './http/providers.ts'
export { cutResult, reply, type Headers, type Reply } from './http/contract/reply.ts'
export { openReservedWords, type ReservedWords } from './http/reserved-words.ts'
export { sendRefusal, type Front, type Handler } from './http/server/request-interceptor.ts'
export {
  route,
  type RequestFacts,
  type RequestHead,
  type RequestKey,
  type Route,
} from './http/contract/route.ts'
export { routesOf, type RouteMaker } from './http/routes-of.ts'
export { securityHeaders } from './http/server/send-reply.ts'
export {
  Amount,
  Cursor,
  Id,
  PositiveAmount,
  RawBytes,
  Time,
  UserId,
  Version,
  closed,
  count,
  limit_default,
  map,
  nullable,
  oneOf,
  pageOf,
  pageQuery,
  text,
} from './http/contract/shapes.ts'
export type { Handshake, OpenSocket, SocketRoute } from './http/server/sockets.ts'
export type { EndingCode, EventStream, SseEvent } from './http/streams/sse.ts'
export { openStreamPlaces, type StreamPlaces } from './http/streams/stream-places.ts'
export { fingerprint } from './idempotency/fingerprint.ts'
export { madeOnce, orderPrint } from './idempotency/made-once.ts'

// Ids, keys, settings of a process, logs.
export { currentRequestId, currentTraceparent, workContext } from './observability/context.ts'
export type { Log } from './observability/log.ts'
export { isId, jitter, newId, newNonce, newSecret, nil_id, nonce_bytes } from './ids.ts'
export { ownRing, type Keyring } from './keys.ts'
export { limit } from './limits.ts'

// Files in the object store.
export { cellId } from './objects/cell-id.ts'
export {
  ChecksumDiffers,
  PartMissing,
  PartSizeDiffers,
  StoreUnavailable,
  type ByteRange,
  type FoundObject,
  type Place,
  type ReceivedParts,
  type StoredObject,
  type StoredPart,
} from './objects/objects.ts'
export { hasJoined, hasOtherCells, joinBucket } from './objects/shared-bucket.ts'

// Requests to other servers.
export { isGlobalUnicast, openAddressRules, type Port } from './outgoing/allowed-addresses.ts'
export {
  circuit_defaults,
  openCircuit,
  type CircuitState,
  type Weight,
} from './outgoing/circuit.ts'
export type { RequestHeaders, ResponseHeaders } from './outgoing/exchange.ts'
export { openProofs, type NewProof } from './outgoing/proof.ts'
export { checkServers } from './outgoing/resolver.ts'
export { retryAfterSeconds } from './outgoing/retry-after.ts'
export { openRetryBudget, type RetryBudget } from './outgoing/retry-budget.ts'
export { openRollingSum, type Monotonic } from './outgoing/rolling-sum.ts'
export {
  SafeFetchFailure,
  openSafeFetch,
  type SafeFetch,
  type SafeResponse,
} from './outgoing/safe-fetch.ts'
export { parseTarget, type SafeTarget, type TargetRefusal } from './outgoing/safe-target.ts'
export { openOutsideWorld, type Addresses } from './outgoing/sandbox-control.ts'
export { publicSuffixes } from './outgoing/public-suffixes.ts'
export {
  newStandardSecret,
  parseStandardKey,
  parseStandardSecret,
  signStandard,
  verifySigned,
  verifyStandard,
  verifyStandardByKey,
  type MessageHeaders,
  type SignatureVerdict,
} from './outgoing/signatures.ts'
export { openTxtLookup, type TxtLookup } from './outgoing/txt-lookup.ts'
export {
  UpstreamFailure,
  openUpstream,
  type Upstream,
  type UpstreamResponse,
  type UpstreamStreamCall,
} from './outgoing/upstream.ts'
export {
  verifyGithub,
  verifySlack,
  verifyStripe,
  verifyTwilio,
} from './outgoing/vendor-signatures.ts'

// Resources without code of their own.
export { defaulted, given, once, shown } from './resources/fields.ts'
export { record, type RecordOf } from './resources/record.ts'
export { resource, type Resource } from './resources/resource.ts'
export { surface } from './resources/surface.ts'

// What a surface declares.
export type { Declarations, FilePurpose, MessageCategory, MessageTemplate } from './declarations.ts'
export type { FacesOf } from './faces.ts'
export {
  faultsIn,
  refusals,
  setting,
  type Deployment,
  type SettingTable,
  type SettingsOf,
} from './settings.ts'
export type {
  Caller,
  Check,
  Consumer,
  Declared,
  DemoTenant,
  EventDeclaration,
  InboundHandler,
  InboundMessage,
  Kernel,
  KernelOf,
  Loop,
  Opened,
  Projection,
  Provider,
  ProviderEvent,
  ProviderVerdict,
  SignedProviderMessage,
  Surface,
} from './surface.ts'

// Work that runs later, and what is kept of a person or a tenant.
export { openChangeWatcher, type ChangeWatcher } from './work/change-watcher.ts'
export {
  again,
  dead,
  done,
  dueAt,
  dueNow,
  dueQueue,
  retry,
  type Claimed,
  type DueQueue,
  type Finished,
  type Outcome,
} from './work/due-queue.ts'
export type {
  ChildOrder,
  EndedJob,
  EventWait,
  JobIdentity,
  JobStep,
  JobType,
  RunningJob,
  SignalWait,
  StepKind,
  StepLog,
  StoredStep,
} from './work/job-type.ts'
export { madeOf, personalRows, type PersonalRows } from './work/personal-rows.ts'
export {
  madeIn,
  rowsById,
  type Earlier,
  type Erasing,
  type Personal,
  type PersonalAccount,
  type PersonalRecord,
} from './work/export-and-erase.ts'
export type { Sign } from './work/pulse.ts'
export type { Ring, SealedColumn } from './work/reseal.ts'
export type { Retention } from './work/retention.ts'
export { openSleeper } from './work/sleeper.ts'
export type { Tenancy } from './work/tenancy.ts'
export {
  StepFailed,
  type RunFacts,
  type Signal,
  type Step,
  type StepCall,
  type WaitedEvent,
} from './work/workflow-step.ts'
export { workflow, type Workflow } from './work/workflow.ts'
export { held_tenants, tenant_states_topic } from './work/tenant-states.ts'
