/**
 * The contract between the kernel and a surface. A surface is one value: a name, a PostgreSQL
 * schema of that name, and everything that it provides as data (routes, permissions, errors,
 * events, consumers, loops, projections, checks). Opening a surface connects functions. It does not
 * start anything.
 */
import type { Permission, PermissionCatalog } from './access/permissions.ts'
import type { Csrf } from './access/csrf.ts'
import type { Counted } from './access/counted.ts'
import type { Take, TakeEach } from './access/take.ts'
import type { SignedUrls } from './access/signed-url.ts'
import type { Clock } from './clock.ts'
import type { Db, Reader, Tx } from './database/db.ts'
import type { Declarations } from './declarations.ts'
import type { Bus } from './events/bus.ts'
import type { Consumer } from './events/consumer.ts'
import type { EventDeclaration } from './events/event.ts'
import type { EventTypes } from './events/event-types.ts'
import type { Fault } from './faults.ts'
import type { Cursors } from './http/contract/cursor.ts'
import type { Reference } from './http/openapi/reference.ts'
import type { Front } from './http/server/request-interceptor.ts'
import type { ErrorEntry } from './errors/problem.ts'
import type {
  Provider,
  ProviderEvent,
  ProviderVerdict,
  SignedProviderMessage,
} from './http/provider.ts'
import type { Route } from './http/contract/route.ts'
import type { Tool } from './http/tools/operations.ts'
import type { Perform } from './http/tools/perform.ts'
import type { SocketRoute } from './http/server/sockets.ts'
import type { Keyring } from './keys.ts'
import type { Objects } from './objects/objects.ts'
import type { KernelSettings, SettingsOf, SettingTable } from './settings.ts'
import type { Log } from './observability/log.ts'
import type { Metrics } from './observability/metrics.ts'
import type { Traced } from './observability/telemetry.ts'
import type { SafeFetch } from './outgoing/safe-fetch.ts'
import type { DueQueue } from './work/due-queue.ts'
import type { JobType } from './work/job-type.ts'
import type { Loop } from './work/loop.ts'
import type { Personal, PersonalData } from './work/export-and-erase.ts'
import type { Sign } from './work/pulse.ts'
import type { SealedColumn } from './work/reseal.ts'
import type { Retention } from './work/retention.ts'
import type { Tenancy } from './work/tenancy.ts'

export type {
  Consumer,
  EventDeclaration,
  Loop,
  Provider,
  ProviderEvent,
  ProviderVerdict,
  SignedProviderMessage,
}

/** The services that every surface may use. They contain no surface and no tenant's data. */
export type Kernel = {
  readonly profile: 'development' | 'production'
  readonly public_url: string
  readonly data_dir: string
  readonly settings: KernelSettings
  readonly db: Db
  /** One more connection, for reads without which this process would refuse every request. */
  readonly reserved: Pick<Reader, 'one'>
  readonly clock: Clock
  readonly keys: Keyring
  readonly cursors: Cursors
  readonly csrf: Csrf
  readonly signedUrls: SignedUrls
  readonly safeFetch: SafeFetch
  readonly objects: Objects
  readonly log: Log
  readonly metrics: Metrics
  readonly fault: Fault
  /** Runs work as part of the trace of its cause. */
  readonly traced: Traced
  /** Takes from limits that hold over all processes. */
  readonly take: Take
  readonly takeEach: TakeEach
  /** Counts rows in a transaction, and throws `quota_exceeded` above the limit. */
  readonly counted: Counted
  /** Functions that export and erase the personal data of all surfaces. */
  readonly personal: Omit<PersonalData, 'queue'>
  /** What the surfaces declare, for those that work on all of it. */
  readonly declared: Declared
  /** Every route of the platform. The list is complete once all surfaces are open. */
  routes(): readonly Route[]
  /** The operations that models can reach, by name. */
  tools(): ReadonlyMap<string, Tool>
  /** Performs one of them as its caller would over HTTP, once for each key. */
  perform: Perform['perform']
  /** Why one could not be performed now with these arguments; changes nothing. */
  checkCall: Perform['check']
  /** Why a caller could not perform one now, whatever its arguments. */
  refusal: Perform['refusal']
  /**
   * Wakes these topics in every process, outside any transaction. Without topics, it wakes all that
   * waits for a topic: name the topics where it is called often.
   */
  wake(topics?: readonly string[]): void
  /**
   * Calls the function in this process at each wake-up from any process. With topics, only wake-ups
   * for these topics count (`tx.wake`). The returned function ends the registration.
   */
  onWake(run: () => void, topics?: readonly string[]): () => void
  /** Sends hints to the other processes. Hints may be lost. */
  readonly bus: Bus
  /** Whether requests wait for this process. Background work then takes less at a time. */
  busy(): boolean
}

export type Declared = Required<Declarations> & {
  /** Roles and API keys may have any permission of the platform. */
  readonly permissions: PermissionCatalog
  /** Those of the code, and those that were declared over HTTP. */
  readonly eventTypes: EventTypes
  /** Both are known once all surfaces are open (`Opened.connect`). */
  jobTypes(): readonly JobType[]
  inbound(): readonly InboundHandler[]
}

/** The kernel as one surface sees it: with the kernel's settings and its own. */
export type KernelOf<Own extends SettingTable> = Kernel & { readonly settings: SettingsOf<Own> }

export type Surface<
  Face = unknown,
  Needs = unknown,
  Own extends SettingTable = SettingTable,
> = Declarations & {
  readonly name: string
  readonly settings: Own
  readonly migrations: URL
  /**
   * A module that exports `vendors`, the doubles of its vendors. The sandbox, another process, opens
   * them in development.
   */
  readonly sandbox?: URL
  /** Which rows belong to a tenant, for tables without `tenant_id` and for exceptions. */
  readonly tenancy?: Tenancy
  readonly permissions: Readonly<Record<string, Permission>>
  readonly errors: Readonly<Record<string, ErrorEntry>>
  readonly events: Readonly<Record<string, EventDeclaration>>
  /** Sessions with a scope may only call the routes that declare `narrow`. */
  readonly closed_to_scopes?: true
  /**
   * The surfaces whose faces it gets when it is opened: `{ models: 'inference' }` gives it the face of
   * inference as `models`. With `'inference?'` that is undefined where inference is off. A surface
   * of an application gets what `faceFor` returns.
   */
  readonly needs?: { readonly [Port in keyof Needs]-?: string }
  /** Each is a job type of the surface. `surface()` adds what they need to its needs. */
  readonly workflows?: readonly {
    readonly needs: Readonly<Record<string, string>>
    jobType(deps: { readonly kernel: Kernel; readonly needs: never }): JobType
  }[]
  /** The surface's explanations for the published document. */
  readonly reference?: Reference
  open(kernel: KernelOf<Own>, needs: Needs): Opened<Face>
}

export type Opened<Face = unknown> = {
  /** The functions for surfaces that come from the same place: the platform, or the application. */
  readonly face: Face
  /**
   * The functions of a surface of the platform for one of the application: those that check the
   * tenant, and reach nothing that is not of the caller. Without `faceFor` there are none.
   */
  faceFor?(caller: Caller): object
  /** Called once all surfaces are open, before anything runs. */
  connect?(): void
  readonly routes: readonly Route[]
  /**
   * Gets every request of an API process before the pipeline does. It must reply to each request
   * that it does not pass on.
   */
  readonly front?: Front
  /** WebSockets that API processes serve. */
  readonly sockets?: readonly SocketRoute[]
  readonly consumers?: readonly Consumer[]
  readonly loops?: readonly Loop[]
  /**
   * Expressions that this process reads once a second, in addition to those of its loops and
   * queues. They wake the work that waits for a topic.
   */
  readonly signs?: readonly Sign[]
  /** Work that must happen and may fail. */
  readonly queues?: readonly DueQueue[]
  /** The old rows that are deleted. */
  readonly retention?: readonly Retention[]
  /** Columns that are sealed again when a keyring rotates. */
  readonly sealed?: readonly SealedColumn[]
  /** The personal data that the surface stores. */
  readonly personal?: Personal
  readonly projections?: readonly Projection[]
  /**
   * Deletes the search indexes of a tenant, which are neither rows nor objects, and returns their
   * number. Its rows are deleted afterwards. After a crash it runs again.
   */
  deleteIndexes?(tenant_id: string): Promise<number>
  readonly checks?: readonly Check[]
  /** Whether this process should get requests, by name; `/readyz` waits a second for each. */
  readonly ready?: Readonly<Record<string, () => Promise<boolean>>>
  readonly providers?: readonly Provider[]
  /** Handlers for the webhooks that tenants receive from their own providers. */
  readonly inbound?: readonly InboundHandler[]
  /** The job types of this surface. The jobs surface runs them. */
  readonly jobTypes?: readonly JobType[]
  /** Creates the demo data that is missing, and returns a list of it. */
  seed?(tenants: readonly DemoTenant[]): Promise<string[]>
  /** Facts that an operator should know at the start: one sentence each, with the next step. */
  advice?(): Promise<string[]>
  close?(): Promise<void>
}

/** The surface of an application that calls. */
export type Caller = Pick<Declarations, 'purposes'> & { readonly name: string }

/** A tenant of the demo with its accounts. `member` has no role, and `owner` has every role. */
export type DemoTenant = {
  readonly id: string
  readonly slug: string
  readonly member: string
  readonly owner: string
  readonly accounts: readonly { readonly id: string; readonly role_ids: readonly string[] }[]
}

/** A read model that can be rebuilt from its sources. */
export type Projection = {
  readonly name: string
  readonly freshness_ms: number
  rebuild(progress: (done: number, total: number) => void, signal: AbortSignal): Promise<void>
}

/** An invariant that `dodeca doctor` and the chaos tests check. Returns the violations. */
export type Check = {
  readonly name: string
  readonly says: string
  run(): Promise<readonly string[]>
}

/**
 * Processes the messages that `POST /v1/inbound/{provider}/{account_ref}` stored. A handler runs
 * later and is retried until it succeeds. Messages arrive in any order. So a handler compares
 * versions or asks the provider, and never sets an older state.
 */
export type InboundHandler<Asked = unknown> = {
  readonly provider: string
  /** Fetches data that the message lacks from the provider, before the transaction. */
  ask?(message: InboundMessage, signal: AbortSignal): Promise<Asked>
  /**
   * The handler's effect and the end of the receipt are in one transaction. If the handler throws,
   * it is retried later.
   */
  handle(tx: Tx, message: InboundMessage, asked: Asked | undefined): Promise<void>
}

export type InboundMessage = {
  readonly receipt_id: string
  readonly tenant_id: string
  readonly provider: string
  readonly provider_account: string
  /** The id that the provider gave the message. Each message is processed once. */
  readonly event_id: string
  readonly type: string | null
  readonly raw: Buffer
  readonly headers: Readonly<Record<string, string>>
  readonly received_at: string
}
