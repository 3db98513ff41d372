/**
 * The entry `dodeca`: what an application is made with. What is rarely needed is in
 * `dodeca/kernel`. Both are kept stable; api/report.md shows all of it.
 */
export { Type, type Static } from 'typebox'
export { app, surface_names, type App } from './app.ts'

// A surface and its resources.
export {
  begins,
  defaulted,
  equal,
  exact,
  given,
  list,
  numbered,
  once,
  owner,
  personalRows,
  record,
  resource,
  shown,
  surface,
  type PersonalRows,
  type RecordOf,
  type Resource,
} from '#dodeca/kernel'

// Routes, their shapes and their replies.
export {
  Amount,
  Cursor,
  Day,
  Id,
  PositiveAmount,
  Time,
  UserId,
  Version,
  closed,
  count,
  map,
  nullable,
  oneOf,
  page,
  pageOf,
  pageQuery,
  reply,
  route,
  routesOf,
  text,
  type Reply,
  type Route,
} from '#dodeca/kernel'

// Errors.
export {
  JobFailure,
  JobPutOff,
  Problem,
  StartError,
  problem,
  problemsOf,
  type ErrorEntry,
} from '#dodeca/kernel'

// Settings, PostgreSQL, ids and time.
export {
  isId,
  limit,
  newId,
  rfc3339,
  setting,
  sql,
  violates,
  type Clock,
  type Db,
  type Reader,
  type SettingTable,
  type Sql,
  type Tx,
} from '#dodeca/kernel'

// Providers of an application.
export { paymentProvider } from './surfaces/payments/provider/own-provider.ts'
export {
  ProviderFailure,
  type PaymentProvider,
  type ProviderBooks,
  type RefundSnapshot,
  type Snapshot as PaymentSnapshot,
} from './surfaces/payments/provider/port.ts'

// Workflows.
export {
  StepFailed,
  workflow,
  type RunFacts,
  type Signal,
  type Step,
  type WaitedEvent,
  type Workflow,
} from '#dodeca/kernel'

// What a surface declares, and the faces of those that it needs.
export type {
  Check,
  Consumer,
  Declarations,
  EventDeclaration,
  FacesOf,
  InboundHandler,
  InboundMessage,
  JobType,
  Kernel,
  KernelOf,
  Loop,
  Opened,
  Permission,
  PermissionCatalog,
  Principal,
  Projection,
  Provider,
  Retention,
  RunningJob,
  Surface,
} from '#dodeca/kernel'
