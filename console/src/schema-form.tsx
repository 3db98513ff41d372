/**
 * The form of a request body, from its schema. Each simple property has a field, as has each part of a
 * property with a secret, which is hidden while it is typed. Other nested properties are written as JSON. The example of the API is a hint in an empty field and is never sent; empty
 * properties are not sent, too.
 */
import { nameOf, words } from './language.ts'
import { plain, type Schema } from './operation.ts'

/** The content of the fields, as text. */
export type Draft = Readonly<Record<string, string>>

type Kind = 'text' | 'long' | 'number' | 'boolean' | 'choice' | 'lines' | 'json'

function kindOf(schema: Schema): Kind {
  if (schema.type === 'boolean') return 'boolean'
  if (choicesOf(schema)) return 'choice'
  const plain = schema.anyOf?.filter(one => one.type !== 'null') ?? []
  if (plain.length === 1 && plain[0]) return kindOf(plain[0])
  if (schema.type === 'integer' || schema.type === 'number') return 'number'
  if (schema.type === 'string') return (schema.maxLength ?? 0) > 500 ? 'long' : 'text'
  if (schema.type === 'array' && schema.items?.type === 'string') return 'lines'
  return 'json'
}

/** The values of an enumeration, in any of the forms that the document uses. */
export function choicesOf(schema: Schema): string[] | null {
  if (schema.enum) return schema.enum.filter(one => one !== null).map(String)
  if (schema.type === 'boolean') return ['true', 'false']
  const alternatives = schema.anyOf ?? []
  const constants = alternatives.flatMap(one => (one.const === undefined ? [] : [plain(one.const)]))
  return constants.length > 0 && constants.length === alternatives.length ? constants : null
}

/**
 * A property begins with what is known of the item, and is then required: the person sees what is
 * sent. The others are empty.
 */
export function draftOf(schema: Schema, given: Readonly<Record<string, unknown>>): Draft {
  return Object.fromEntries(
    partsOf(schema).map(([name, one]) => {
      const value = given[name]
      return [name, value === undefined ? '' : written(kindOf(one), value)]
    }),
  )
}

/** In a group, `key` is one too. */
const isSecret = (name: string) => /password|secret|\.key$/.test(name)

/** A property with a secret, such as the key of a provider. */
function isGroup({ type, properties = {} }: Schema): boolean {
  return type === 'object' && Object.keys(properties).some(isSecret)
}

/** A part of a group is named after it: `auth.key`. */
function partsOf({ properties = {} }: Schema): [string, Schema][] {
  return Object.entries(properties).flatMap(([name, one]): [string, Schema][] =>
    isGroup(one) ? partsOf(one).map(([part, its]) => [`${name}.${part}`, its]) : [[name, one]],
  )
}

/** An amount that can be written in two ways has one field: the decimal one, as people write it. */
function fieldsOf(schema: Schema): [string, Schema][] {
  const { properties = {} } = schema
  return partsOf(schema).filter(
    ([name]) => !name.endsWith('_minor') || !(name.slice(0, -'_minor'.length) in properties),
  )
}

function written(kind: Kind, value: unknown): string {
  if (kind === 'lines' && Array.isArray(value)) return value.map(String).join('\n')
  return typeof value === 'string' && kind !== 'json' ? value : JSON.stringify(value, null, 2)
}

/** Throws a SyntaxError if a property is not JSON. */
export function bodyOf(schema: Schema, draft: Draft): Record<string, unknown> {
  return Object.fromEntries(
    Object.entries(schema.properties ?? {}).flatMap(([name, one]) => {
      if (isGroup(one)) {
        const inner = bodyOf(one, within(name, draft))
        return Object.keys(inner).length === 0 ? [] : [[name, inner] as const]
      }
      const text = draft[name] ?? ''
      return text === '' ? [] : [[name, valueOf(one, text)] as const]
    }),
  )
}

function within(group: string, draft: Draft): Draft {
  const begin = `${group}.`
  const its = Object.entries(draft).filter(([name]) => name.startsWith(begin))
  return Object.fromEntries(its.map(([name, text]) => [name.slice(begin.length), text]))
}

function valueOf(schema: Schema, text: string): unknown {
  const kind = kindOf(schema)
  const numbers = (schema.enum ?? []).some(one => typeof one === 'number')
  if (kind === 'number' || numbers) return Number(text)
  if (kind === 'boolean') return text === 'true'
  if (kind === 'lines') return text.split('\n').filter(line => line.trim() !== '')
  if (kind === 'json') return JSON.parse(text) as unknown
  return text
}

type Props = {
  readonly schema: Schema
  readonly example: unknown
  readonly draft: Draft
  /** Properties that are required here, although the API does not require them. */
  readonly required: readonly string[]
  set(next: Draft): void
}

export function SchemaFields({ schema, example, draft, required, set }: Props) {
  const hints = (example ?? {}) as Readonly<Record<string, unknown>>
  return (
    <>
      {fieldsOf(schema).map(([name, one]) => (
        <Field
          key={name}
          name={name}
          schema={one}
          hint={hints[name] === undefined ? '' : written(kindOf(one), hints[name])}
          required={schema.required?.includes(name) === true || required.includes(name)}
          fixed={required.includes(name) && name.endsWith('_id')}
          value={draft[name] ?? ''}
          set={value => set({ ...draft, [name]: value })}
        />
      ))}
    </>
  )
}

type FieldProps = {
  readonly name: string
  readonly schema: Schema
  /** An example of the value. */
  readonly hint: string
  readonly required: boolean
  /** The item that is acted on. */
  readonly fixed: boolean
  readonly value: string
  set(value: string): void
}

function Field({ name, schema, hint, required, fixed, value, set }: FieldProps) {
  const kind = kindOf(schema)
  const notes = [
    required ? words.required : null,
    kind === 'json' ? words.as_json : null,
    kind === 'lines' ? words.lines : null,
  ].filter(one => one !== null)
  return (
    <div class="field">
      <label>
        <span>
          {name.split('.').map(nameOf).join(': ')}{' '}
          {notes.length > 0 && <small class="soft">{notes.join(', ')}</small>}
        </span>
        <Input {...{ name, kind, schema, hint, required, fixed, value, set }} />
      </label>
      {schema.description !== undefined && <small class="soft">{schema.description}</small>}
    </div>
  )
}

function Input({
  name,
  kind,
  schema,
  hint,
  required,
  fixed,
  value,
  set,
}: FieldProps & { readonly kind: Kind }) {
  if (kind === 'choice' || kind === 'boolean') {
    const choices = choicesOf(schema) ?? choicesOf(schema.anyOf?.[0] ?? {}) ?? []
    return (
      <select value={value} required={required} onChange={e => set(e.currentTarget.value)}>
        <option value="" />
        {choices.map(one => (
          <option key={one} value={one}>
            {one}
          </option>
        ))}
      </select>
    )
  }
  // A secret is hidden, however long it may be.
  if (!isSecret(name) && (kind === 'json' || kind === 'lines' || kind === 'long')) {
    return (
      <textarea
        value={value}
        placeholder={hint}
        required={required}
        rows={kind === 'json' ? 5 : 3}
        class={kind === 'json' ? 'mono' : undefined}
        spellcheck={kind === 'long'}
        onInput={e => set(e.currentTarget.value)}
      />
    )
  }
  const shown = kind === 'number' ? 'number' : 'text'
  return (
    <input
      value={value}
      placeholder={isSecret(name) ? '' : hint}
      required={required}
      readOnly={fixed}
      autocomplete="off"
      type={isSecret(name) ? 'password' : shown}
      onInput={e => set(e.currentTarget.value)}
    />
  )
}
