/** What a started process knows that the person who started it wants to read. */
export type StartFacts = {
  readonly port: number
  readonly migrated: number
  readonly operations: number
  readonly has_console: boolean
  /** Whether there is a page where people see their account. */
  readonly has_account_page: boolean
  readonly sandbox: boolean
  readonly embedded: boolean
  readonly joined: boolean
  readonly administrator: Administrator | null
  /** What the operator has still to do. */
  readonly advice: readonly string[]
}

export function factsOf(running: Running): StartFacts {
  const { port, migrated, platform, ground, administrator, advice } = running
  const has = (page: string) => platform.routes.some(({ path }) => path === page)
  const { sandbox, embedded, joined } = ground
  return {
    port,
    migrated,
    operations: platform.routes.length,
    has_console: has('/console'),
    has_account_page: has('/account/'),
    sandbox,
    embedded,
    joined,
    administrator,
    advice,
  }
}
