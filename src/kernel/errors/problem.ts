/**
 * Every refusal is a value with a stable code. The code determines status and title. The details
 * are safe to show. The cause goes only to the log, under the same request id. Each code is
 * declared once in a catalog: a code that is not declared does not compile.
 */
import { sentenceOf, sentencesOf, type FieldError } from './field-sentences.ts'
import { kernelErrors, type ErrorEntry } from './kernel-errors.ts'

export type { ErrorEntry, FieldError }

export type ProblemDetails = {
  /** One sentence for people. Clients should check the code instead. */
  detail?: string
  errors?: readonly FieldError[]
  retry_after?: number
  current_state?: string
  /** Further properties of the document, such as an id from the request. */
  more?: Readonly<Record<string, unknown>>
  headers?: Readonly<Record<string, string>>
  /** A log line already contains the cause, so a 5xx logs no further line. */
  logged?: true
}

export class Problem extends Error {
  override readonly name = 'Problem'
  readonly code: string
  readonly status: number
  readonly title: string
  /** Whether the same request may succeed later. */
  readonly retryable: boolean
  readonly details: ProblemDetails
  /** Details that are safe to show for any cause. */
  readonly advice: string

  constructor(code: string, entry: ErrorEntry, details: ProblemDetails, options?: ErrorOptions) {
    super(details.detail ?? entry.title, options)
    this.code = code
    this.status = entry.status
    this.title = entry.title
    this.retryable = entry.retryable === true
    this.advice = [entry.cause, entry.cure].filter(Boolean).join(' ') || `${entry.title}.`
    const { retry_after } = entry
    this.details = retry_after === undefined ? details : { retry_after, ...details }
  }
}

export type KernelCode = keyof typeof kernelErrors

/**
 * The function that throws problems from the kernel's catalog and from one surface's own catalog.
 */
export function problemsOf<const E extends Record<string, ErrorEntry>>(own: E) {
  const catalog: Record<string, ErrorEntry> = { ...kernelErrors, ...own }
  return (
    code: KernelCode | (keyof E & string),
    details: ProblemDetails = {},
    options?: ErrorOptions,
  ): Problem => {
    const entry = catalog[code]
    if (!entry) throw new Error(`no such problem: ${code}`)
    return new Problem(code, entry, details, options)
  }
}

export const problem = problemsOf({})

export type Catalog = ReadonlyMap<string, ErrorEntry>

/** Joins the catalogs of all surfaces. Two surfaces may not give one code two meanings. */
export function catalogOf(parts: readonly Record<string, ErrorEntry>[]): Catalog {
  const catalog = new Map<string, ErrorEntry>()
  const entries = [kernelErrors, ...parts].flatMap(part =>
    Object.entries(part as Record<string, ErrorEntry>),
  )
  for (const [code, entry] of entries) {
    const known = catalog.get(code)
    if (known && known.status !== entry.status) {
      throw new Error(`the code ${code} has the statuses ${known.status} and ${entry.status}`)
    }
    if (known && known.title !== entry.title) {
      throw new Error(`the code ${code} has the titles "${known.title}" and "${entry.title}"`)
    }
    catalog.set(code, { ...known, ...entry })
  }
  return catalog
}

export type ProblemDocument = {
  readonly status: number
  readonly detail: string
  readonly code: string
  readonly errors?: readonly FieldError[]
}

/** Builds the document of RFC 9457. A 5xx does not show its cause; the cause is in the log. */
export function renderProblem(
  problem: Problem,
  context: {
    public_url: string
    path: string
    request_id: string
    /** Further members, for clients of another API. */
    problemAs?: ((document: ProblemDocument) => object) | undefined
  },
): string {
  const { errors, retry_after, current_state, more } = problem.details
  const shown = errors?.slice(0, 20).map(one => {
    const message = sentenceOf(one)
    return message === undefined ? one : { ...one, message }
  })
  const document = {
    type: `${context.public_url}/problems/${problem.code}`,
    title: problem.title,
    status: problem.status,
    detail: detailOf(problem),
    instance: context.path,
    code: problem.code,
    request_id: context.request_id,
    ...(shown ? { errors: shown } : {}),
    ...(retry_after === undefined ? {} : { retry_after }),
    ...(current_state === undefined ? {} : { current_state }),
    ...more,
  }
  return JSON.stringify({ ...document, ...context.problemAs?.(document) })
}

function detailOf({ status, details, advice }: Problem): string {
  const { detail, errors, retry_after, current_state } = details
  if (detail && status < 500) return detail
  const said = [
    ...(errors && status < 500 ? [sentencesOf(errors)] : []),
    advice,
    ...(current_state === undefined ? [] : [`The state is \`${current_state}\`.`]),
    ...(retry_after === undefined ? [] : [`Wait ${retry_after} s before you send it again.`]),
  ]
  return said.filter(Boolean).join(' ')
}
