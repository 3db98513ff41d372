/** The facts that a started process reports to its parent or to the terminal. */
export type StartFacts = {
  readonly port: number
  readonly migrated: number
  readonly operations: number
  readonly has_console: boolean
  /** Whether there is a page where people can see their account. */
  readonly has_account_page: boolean
  readonly sandbox: boolean
  readonly embedded: boolean
  readonly joined: boolean
  readonly administrator: {
    readonly email: string
    readonly password: string
    readonly kept_in: string | null
    readonly made_now: boolean
  } | null
  /** The steps that the operator has still to do. */
  readonly advice: readonly string[]
}
