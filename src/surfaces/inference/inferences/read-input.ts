/** Turns the input of a request into the one form, and checks what each type of item needs. */
import type { Static } from 'typebox'
import { problem } from '../errors.ts'
import { readFile } from '../operations/attachments.ts'
import { namedFile } from '../operations/files.ts'
import type { Input, Item, Part } from '../providers/form.ts'
import type { asked } from '../schemas.ts'

type Given = Static<typeof asked.input>
type GivenItem = Exclude<Given, string>[number]
type GivenPart = Exclude<NonNullable<GivenItem['content']>, string>[number]

export function readInput(given: Given): Input {
  if (typeof given === 'string') return given
  return given.map((item, at) => itemOf(item, `/input/${at}`))
}

function itemOf(item: GivenItem, at: string): Item {
  const { type = 'message', role, content, id, name, arguments: said, output, is_error } = item
  if (type === 'tool_call') {
    const call = {
      id: needed(id, `${at}/id`),
      name: needed(name, `${at}/name`),
      arguments: needed(said, `${at}/arguments`),
    }
    return { type, ...call }
  }
  if (type === 'tool_result') {
    const result = { id: needed(id, `${at}/id`), output: needed(output, `${at}/output`) }
    return { type, ...result, ...(is_error === undefined ? {} : { is_error }) }
  }
  const parts = needed(content, `${at}/content`)
  return {
    type,
    role: needed(role, `${at}/role`),
    parts:
      typeof parts === 'string'
        ? [{ type: 'text', text: parts }]
        : parts.map((part, index) => partOf(part, `${at}/content/${index}`)),
  }
}

function partOf({ type, text, file_id, ...sent }: GivenPart, at: string): Part {
  const { media_type, data, name } = sent
  if (type === 'text') return { type, text: needed(text, `${at}/text`) }
  if (file_id !== undefined && data === undefined) return namedFile(type, file_id)
  const file = readFile(
    at,
    needed(media_type, `${at}/media_type`),
    needed(data, `${at}/data`),
    name,
  )
  if (file.type === type) return file
  const errors = [{ location: 'body' as const, pointer: `${at}/type`, constraint: 'file' }]
  throw problem('validation_failed', { detail: `A file of this type is a ${file.type}.`, errors })
}

function needed<T>(value: T | undefined, pointer: string): T {
  if (value !== undefined) return value
  throw problem('validation_failed', {
    errors: [{ location: 'body', pointer, constraint: 'required' }],
  })
}
