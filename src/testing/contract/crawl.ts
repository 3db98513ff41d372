/**
 * What the crawler cannot know from a route: how to make one of the things that a path names, and what a
 * request must say to succeed. Each surface tells its own in `src/surfaces/<name>/test/crawl.test.ts`.
 */
import type { Platform } from '../../runtime/open-platform.ts'
import type { Answer, Ask } from '../call.ts'

/** A platform that runs. */
export type Stage = {
  readonly url: string
  readonly platform: Platform
  call(method: string, path: string, ask?: Ask): Promise<Answer>
}

/** A caller. */
export type Caller = { readonly token: string; readonly tenant: { readonly id: string } }

/** A caller with every permission in a tenant, and its resources. */
export type Maker<W extends Stage = Stage, P extends Caller = Caller> = {
  readonly world: W
  readonly person: P
  /** Asks the platform, and answers the body of a success; anything else is thrown. */
  // oxlint-disable-next-line typescript/no-explicit-any -- the code that makes a resource knows its members
  ask(method: string, path: string, body?: unknown): Promise<any>
}

export type Subject<W extends Stage = Stage, P extends Caller = Caller> = {
  /** Makes a new one and answers what stands for it in the path. */
  make(maker: Maker<W, P>): Promise<string> | string
  /** No tenant owns it: every tenant sees the same. */
  readonly shared?: true
}

/** What of a request is not made from the schemas of its route. */
export type Said = {
  readonly query?: Readonly<Record<string, string>>
  /** Sent as JSON. */
  readonly body?: unknown
  /** Sent as they are, instead of `body`. */
  readonly bytes?: Buffer
  readonly headers?: Readonly<Record<string, string>>
  readonly token?: string
}

export type Recipe<W extends Stage = Stage, P extends Caller = Caller> = {
  /**
   * The caller, if one with every permission is not accepted: the resources of the path belong to
   * it too.
   */
  asker?(maker: Maker<W, P>): Promise<P>
  request?(maker: Maker<W, P>, params: Readonly<Record<string, string>>): Promise<Said> | Said
  /** What a request that succeeds must contain instead, so that the operation itself refuses it. */
  refusal?(maker: Maker<W, P>): Promise<Partial<Said>> | Partial<Said>
  /** Public to the pipeline, but the operation itself asks for a Bearer. */
  readonly bearer?: true
  /** It ends the session of its caller, so the same credential cannot repeat it. */
  readonly ends_caller?: true
}

export type Crawl<W extends Stage = Stage, P extends Caller = Caller> = {
  /**
   * By the path up to and including the parameter: `{id}` alone means something else in every surface.
   * Not needed if POST of the list makes one and returns its `id`.
   */
  readonly subjects?: Readonly<Record<string, Subject<W, P>>>
  /** By operation, where the smallest request that fits the schema does not succeed. */
  readonly recipes?: Readonly<Record<string, Recipe<W, P>>>
}
