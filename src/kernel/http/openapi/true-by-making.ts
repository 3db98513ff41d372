/**
 * What is true of every row of the platform because of how rows are made: its id, its times, its
 * version, its tenant. Everything else is described by the surface that means it.
 */
import type { Json } from './reference.ts'

const reference = (title: string) => `#/components/schemas/${title}`

const facts: Readonly<Record<string, readonly [title: string, says: (noun: string) => string]>> = {
  id: ['Id', noun => `The id of the ${noun}.`],
  tenant_id: ['Id', noun => `The tenant to which the ${noun} belongs.`],
  created_at: ['Time', noun => `When the ${noun} was created.`],
  updated_at: ['Time', noun => `When the ${noun} was last changed.`],
  version: [
    'Version',
    noun => `Increases with every change of the ${noun}. Send its ETag as \`If-Match\`.`,
  ],
}

export function trueByMaking(
  name: string,
  { title, parent }: { readonly title: string; readonly parent: string },
  schema: Json,
): string | undefined {
  const fact = Object.hasOwn(facts, name) ? facts[name] : undefined
  if (!fact || parent !== '') return undefined
  const [type, says] = fact
  if (schema['$ref'] !== reference(type)) return undefined
  const noun = nounOf(title)
  return noun === null ? undefined : says(noun)
}

/** `NewApiKey` is an API key, and `OrderSummary` an order. A body or a plain reply is no noun. */
function nounOf(title: string): string | null {
  if (title === '' || /(?<=[a-z])(Body|Reply|Answer)$/.test(title)) return null
  const noun = title
    .replace(/^(New|Created|Open|Listed|Queued|Found|Logged)(?=[A-Z])/, '')
    .replace(/(Summary|Detail|Details|InFull|With[A-Z]\w*|OrStatus)$/, '')
  const words = noun.replaceAll(/(?<=[a-z])(?=[A-Z])/g, ' ').toLowerCase()
  return words.replaceAll(/\b(api|mfa)\b/g, one => one.toUpperCase())
}
