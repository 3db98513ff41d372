/**
 * What all elements share: they draw into themselves, without a shadow, so that password managers
 * and the styles of the page reach them. They begin when they are on the page and have a session,
 * and begin again when either changes. A server may import this module: it does nothing there.
 */
import { h, render, type ComponentChild } from 'preact'
import { connection_event, connectionOf, type Connected, type Connection } from './connection.ts'
import { styles } from './styles.ts'
import { wordsFor, type Words } from './words.ts'

/** An error, or a problem of the platform, whichever copy of the client threw it. */
export type Refusal = Error & { readonly status?: number; readonly code?: string }

const Base: typeof HTMLElement = globalThis.HTMLElement ?? Object

export abstract class DodecaElement extends Base {
  private turn = 0
  private used: Connection | null = null
  private end: (() => void) | undefined

  /** The attribute without which it waits. */
  protected abstract readonly needs: string

  /** Returns what ends it. */
  protected abstract begin(connected: Connected, words: Words): () => void

  connectedCallback(): void {
    dress(this.getRootNode())
    document.addEventListener(connection_event, this.follow)
    void this.restart()
  }

  disconnectedCallback(): void {
    document.removeEventListener(connection_event, this.follow)
    this.stop()
  }

  attributeChangedCallback(_name: string, before: string | null, now: string | null): void {
    if (this.isConnected && before !== now) void this.restart()
  }

  protected draw(view: ComponentChild): void {
    render(view, this)
  }

  protected tell(name: string, detail: object): void {
    const event = new CustomEvent(`dodeca-${name}`, { detail, bubbles: true, composed: true })
    this.dispatchEvent(event)
  }

  private readonly follow = (): void => {
    if (connectionOf(this) !== this.used) void this.restart()
  }

  private stop(): void {
    this.turn++
    this.end?.()
    this.end = undefined
  }

  private async restart(): Promise<void> {
    this.stop()
    if (!this.getAttribute(this.needs)) return this.draw(null)
    const { turn } = this
    const words = wordsFor(this)
    const say = (text: string) => this.draw(h('p', { class: 'dd-state', role: 'status' }, text))
    this.used = connectionOf(this)
    try {
      const connected = await this.used?.()
      if (turn !== this.turn) return
      if (connected) this.end = this.begin(connected, words)
      else say(words.log_in)
    } catch (error) {
      if (turn !== this.turn) return
      const { status, code = 'unknown', message } = error as Refusal
      say(status === 401 ? words.log_in : `${words.failed} ${message}`)
      this.tell('error', { code, error })
    }
  }
}

/** Defines an element once, also if two copies of this script are on the page. */
export function define(name: string, element: new () => HTMLElement): void {
  if (!globalThis.customElements?.get(name)) globalThis.customElements?.define(name, element)
}

let sheet: CSSStyleSheet | undefined

/** A style sheet that a script makes needs no permission in the policy of the page. */
function dress(root: Node): void {
  if (!(root instanceof Document || root instanceof ShadowRoot)) return
  // oxlint-disable-next-line node/no-sync -- the name of a method of browsers; it loads nothing
  if (!sheet) (sheet = new CSSStyleSheet()).replaceSync(styles)
  if (!root.adoptedStyleSheets.includes(sheet)) root.adoptedStyleSheets.push(sheet)
}
