/**
 * Checks that the calls of tools in a conversation have their results. A provider would refuse the
 * conversation otherwise, and its caller would read of a failure of the provider.
 */
import { problem } from '../errors.ts'
import type { Item } from '../providers/form.ts'

/** `pointer` is the member of the request that contains the conversation. */
export function checkConversation(
  items: readonly Item[],
  pointer: string,
  answers: readonly { readonly id: string }[] = [],
): void {
  // The platform has their results, or will have them before the model is asked.
  const answered = new Set(answers.map(one => one.id))
  const refuse = (detail: string) =>
    problem('validation_failed', {
      detail,
      errors: [{ location: 'body', pointer, constraint: 'tool_results' }],
    })
  const open = new Set<string>()
  const known = new Set<string>()
  for (const item of items) {
    if (item.type === 'tool_call') {
      if (known.has(item.id)) throw refuse(`Two tool calls have the id ${item.id}. Send one.`)
      known.add(item.id)
      if (!answered.has(item.id)) open.add(item.id)
    } else if (item.type === 'tool_result') {
      if (!open.delete(item.id) && !answered.has(item.id)) {
        throw refuse(`No open tool call has the id ${item.id}. Send the call before its result.`)
      }
    } else if (item.type === 'message' && open.size > 0) {
      throw refuse(withoutResult(open))
    }
  }
  if (open.size > 0) throw refuse(withoutResult(open))
}

function withoutResult(open: ReadonlySet<string>): string {
  const [id] = open
  return `The tool call ${id} has no result. Send its result, or an approval if it waits for one, before the next message.`
}
