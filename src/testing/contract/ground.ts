/** Where a crawl takes place: a platform, the routes that are crawled there, and people to ask with. */
import type { Gathered } from '../../runtime/gather-declarations.ts'
import type { Route } from '#dodeca/kernel'
import type { Caller, Crawl, Stage } from './crawl.ts'

export type Ground<W extends Stage = Stage, P extends Caller = Caller> = {
  readonly world: W
  readonly gathered: Gathered
  /** What is crawled here; the platform may have more. */
  readonly routes: readonly Route[]
  readonly crawl: Crawl<W, P>
  /** The file that tells how to make the things of these routes. */
  readonly declared_in: string
  /** A new account with every permission in a new tenant. */
  enabled(): Promise<P>
  /** An account with the permissions of every member. */
  unprivileged(): Promise<Caller>
}
