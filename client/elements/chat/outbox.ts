/**
 * What was written and is not stored yet. It survives a reload of the tab, under its account: who
 * logs in after somebody else must not send their messages. Without a storage it lives in the page.
 */
export type Unsent = {
  /** The key: however often it is sent, it is one message. */
  readonly request_id: string
  readonly body: string
  /** Why the platform refused it. */
  readonly refused?: string
}

export class Outbox {
  private readonly key: string
  list: readonly Unsent[] = []

  constructor(account_id: string, conversation_id: string) {
    this.key = `dodeca-chat ${account_id} ${conversation_id}`
    tolerant(() => {
      this.list = JSON.parse(sessionStorage.getItem(this.key) ?? '[]') as Unsent[]
    })
  }

  /** Adds it, or replaces what has the same key. */
  put(one: Unsent): void {
    this.drop(one.request_id, [one])
  }

  drop(request_id: string, instead: readonly Unsent[] = []): void {
    this.list = [...this.list.filter(one => one.request_id !== request_id), ...instead]
    tolerant(() => sessionStorage.setItem(this.key, JSON.stringify(this.list)))
  }
}

function tolerant(act: () => void): void {
  try {
    act()
  } catch {
    // The page may not store anything, or its storage is full.
  }
}
