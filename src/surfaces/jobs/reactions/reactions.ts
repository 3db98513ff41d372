/**
 * The one consumer of jobs. It gives each event to its parts, such as the waits of workflows. Only
 * events that a part wants cost an inbox row, so events of tenants without waits cost one look for
 * each part and batch. An error of a part would park the aggregate of the event for all of them:
 * so a part handles a failure that concerns only one of its rows itself, and throws only if the
 * database is unavailable.
 */
import type { Consumer, LoggedEvent, Tx } from '#dodeca/kernel'

export type ReactionPart = {
  /** Returns the ids of the events for which it has work, by one look for all of them. */
  wants(tx: Tx, events: readonly LoggedEvent[]): Promise<ReadonlySet<string>>
  /** Does its work for these events, in their order. Some of them may be for other parts only. */
  react(tx: Tx, events: readonly LoggedEvent[]): Promise<void>
}

/** A portion of 50 is a whole batch: each part needs a few statements for any number of events. */
const portion = 50

export function reactions(parts: readonly ReactionPart[]): Consumer {
  const reactAll = async (tx: Tx, events: readonly LoggedEvent[]) => {
    for (const part of parts) await part.react(tx, events)
  }
  return {
    name: 'jobs.reactions',
    events: 'all',
    from: 'head',
    portion,
    wants: async (tx, events) => {
      const wanted = await Promise.all(parts.map(part => part.wants(tx, events)))
      return new Set(wanted.flatMap(ids => [...ids]))
    },
    run: (tx, event) => reactAll(tx, [event]),
    runAll: reactAll,
  }
}
