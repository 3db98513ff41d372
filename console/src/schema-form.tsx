/**
 * The form of a request body, from its schema: a field for each property, and for each item of a list
 * of objects a group with "Remove". A secret is hidden while it is typed. The example of the API is a
 * hint in an empty field and is never sent.
 */
import {
  choicesOf,
  coreOf,
  currencyIn,
  draftOf,
  fieldsOf,
  isEmpty,
  kindOf,
  type Content,
  type Draft,
  type Kind,
} from './form-draft.ts'
import { form_words, ruleOf } from './form-words.ts'
import { fill, nameOf, words } from './language.ts'
import { decimalOf, isCurrency } from './money.ts'
import { Moment } from './moment.tsx'
import type { Schema } from './schema.ts'
import { Picker, picksFrom } from './picker.tsx'

export type Fault = {
  readonly pointer: string
  readonly constraint: string
  readonly detail?: string | undefined
}

type Shared = {
  /** What the API or the form says of fields, by their pointers. */
  readonly faults: readonly Fault[]
  /** What people call the ids that the form begins with. */
  readonly called: Readonly<Record<string, string>>
  /** What this item says of a field: how much can still be refunded. */
  readonly notes: Readonly<Record<string, string>>
}

type Props = Partial<Shared> & {
  readonly schema: Schema
  readonly example: unknown
  readonly draft: Draft
  /** Properties that are required here, although the API does not require them. */
  readonly required: readonly string[]
  /** The currency of what is acted on. */
  readonly currency?: string | null
  set(next: Draft): void
}

export function SchemaFields({ example, currency = null, ...rest }: Props) {
  const shared = { faults: [], called: {}, notes: {}, ...rest }
  return <Fields {...shared} examples={example} outer={currency} at="" prefix="" filled />
}

type FieldsProps = Shared &
  Pick<Props, 'schema' | 'draft' | 'required' | 'set'> & {
    readonly examples: unknown
    readonly outer: string | null
    readonly at: string
    readonly prefix: string
    /** The object will be sent, so that what it requires is required. */
    readonly filled: boolean
  }

function Fields({ schema, examples, draft, required, outer, set, at, ...rest }: FieldsProps) {
  const hints = (examples ?? {}) as Readonly<Record<string, unknown>>
  const currency = currencyIn(schema, draft, outer)
  return (
    <>
      {fieldsOf(schema).map(([name, one]) => (
        <Field
          key={name}
          {...rest}
          name={name}
          at={`${at}/${name}`}
          schema={coreOf(one)}
          kind={kindOf(name, one, currency)}
          currency={currency}
          hint={hints[name]}
          required={
            rest.filled && (schema.required?.includes(name) === true || required.includes(name))
          }
          fixed={required.includes(name) && name.endsWith('_id')}
          value={draft[name] ?? ''}
          set={value => set({ ...draft, [name]: value })}
        />
      ))}
    </>
  )
}

type FieldProps = Shared & {
  readonly name: string
  readonly at: string
  readonly prefix: string
  readonly schema: Schema
  readonly kind: Kind
  readonly currency: string | null
  /** An example of the value. */
  readonly hint: unknown
  readonly required: boolean
  /** The item that is acted on. */
  readonly fixed: boolean
  readonly value: Content
  set(value: Content): void
}

function Field(props: FieldProps) {
  const { name, prefix, schema, kind, value, set, hint, required, currency, at } = props
  if (kind === 'items') return <Items {...props} />
  const label = prefix + nameOf(name)
  if (kind === 'object') {
    const draft = value === '' ? {} : (value as Draft)
    const inner = { schema, draft, set, at, examples: hint, outer: currency }
    const filled = required || !isEmpty(draft)
    return <Fields {...props} {...inner} required={[]} prefix={`${label}: `} filled={filled} />
  }
  const text = typeof value === 'string' ? value : ''
  const said = kind === 'money' ? amountNote(props) : schema.description
  const fault = props.faults.find(({ pointer }) => pointer === at)
  const of_list = kind === 'lines' ? picksFrom(name) : undefined
  return (
    <div class={fault ? 'field wrong' : 'field'}>
      {of_list ? (
        <Picker {...{ label, kind: of_list, required, set }} chosen={text} />
      ) : (
        <label>
          <Label {...{ label, kind, required }} />
          <Input {...props} value={text} required={required} label={label} />
        </label>
      )}
      {fault && <small class="fault">{sentenceOf(fault, schema)}</small>}
      {said !== undefined && <small class="soft">{said}</small>}
    </div>
  )
}

type LabelProps = { readonly label: string; readonly kind: Kind; readonly required: boolean }

function Label({ label, kind, required }: LabelProps) {
  const how = { json: words.as_json, lines: words.lines, pairs: form_words.pairs }
  const notes = [required ? words.required : '', how[kind as keyof typeof how] ?? '']
  const shown = notes.filter(one => one !== '').join(', ')
  return (
    <span>
      {label} {shown !== '' && <small class="soft">{shown}</small>}
    </span>
  )
}

/** In words of the form: the API's own are about bodies. */
function amountNote({ name, currency, notes, schema }: FieldProps): string {
  const example = isCurrency(currency) ? `${decimalOf(1290, currency)} ${currency}` : '12.90'
  const about = name === 'amount' ? undefined : schema.description
  const how = fill(form_words.amount, { amount: example })
  return [notes[name] ?? about, `${how}.`].filter(one => one !== undefined).join(' ')
}

function sentenceOf({ constraint, detail }: Fault, schema: Schema): string {
  if (constraint === 'required') return form_words.is_required
  const rule = ruleOf(schema.pattern ?? schema.items?.pattern)
  return constraint === 'pattern' ? (rule ?? words.wrong_form) : (detail ?? constraint)
}

/** A list of objects. One that must have an item begins with it. */
function Items(props: FieldProps) {
  const { name, prefix, schema, value, set, at, hint, currency, required } = props
  const { items = {} } = schema
  const all = value === '' ? [] : (value as readonly Draft[])
  const shown = all.length === 0 && required ? [draftOf(items, {}, currency)] : all
  const hints = Array.isArray(hint) ? (hint as readonly unknown[])[0] : undefined
  const label = prefix + nameOf(name)
  const fault = props.faults.find(({ pointer }) => pointer === at)
  return (
    <fieldset class="items">
      <legend>
        {label} {required && <small class="soft">{words.required}</small>}
      </legend>
      {schema.description !== undefined && <small class="soft">{schema.description}</small>}
      {fault && <small class="fault">{sentenceOf(fault, schema)}</small>}
      {shown.map((one, n) => (
        <fieldset key={n} aria-label={`${label} ${n + 1}`}>
          <Fields
            {...props}
            schema={items}
            examples={hints}
            draft={one}
            required={Object.keys(props.called).length > 0 ? idsOf(one) : []}
            outer={currency}
            at={`${at}/${n}`}
            prefix=""
            filled
            set={next => set(shown.with(n, next))}
          />
          {!(required && shown.length === 1) && (
            <button type="button" onClick={() => set(shown.filter((_one, place) => place !== n))}>
              {form_words.remove} {label} {n + 1}
            </button>
          )}
        </fieldset>
      ))}
      <button type="button" onClick={() => set([...shown, draftOf(items, {}, currency)])}>
        {form_words.add}: {label}
      </button>
    </fieldset>
  )
}

/** The things of which a list says something, such as the lines of an order. */
function idsOf(draft: Draft): string[] {
  return Object.keys(draft).filter(name => name.endsWith('_id') && draft[name] !== '')
}

/** In a group, `key` is one too. */
const isSecret = (label: string, name: string) =>
  /password|secret/.test(name) || (name === 'key' && label.includes(': '))

type InputProps = FieldProps & { readonly value: string; readonly label: string }

function Input(props: InputProps) {
  const { name, label, kind, schema, hint, required, fixed, value, set, called, currency } = props
  const known = fixed ? called[value] : undefined
  if (known !== undefined) return <output>{known}</output>
  if (kind === 'choice' || kind === 'boolean')
    return <Choice {...{ schema, required, value, set }} />
  if (kind === 'moment') return <Moment {...{ label, required, value, set }} />
  const is_secret = isSecret(label, name)
  const example = hint === undefined || hint === null || is_secret ? '' : hintOf(kind, hint)
  // A secret is hidden, however long it may be.
  if (!is_secret && ['json', 'lines', 'pairs', 'long'].includes(kind)) {
    return (
      <textarea
        value={value}
        placeholder={example}
        required={required}
        rows={kind === 'json' ? 5 : 3}
        class={kind === 'json' ? 'mono' : undefined}
        spellcheck={kind === 'long'}
        onInput={e => set(e.currentTarget.value)}
      />
    )
  }
  const shown = kind === 'number' ? 'number' : 'text'
  const input = (
    <input
      value={value}
      placeholder={kind === 'money' ? '' : example}
      required={required}
      readOnly={fixed}
      autocomplete="off"
      type={is_secret ? 'password' : shown}
      inputMode={kind === 'money' ? 'decimal' : undefined}
      onInput={e => set(e.currentTarget.value)}
    />
  )
  if (kind !== 'money') return input
  return (
    <span class="amount">
      {input} {currency}
    </span>
  )
}

function hintOf(kind: Kind, hint: unknown): string {
  if (kind === 'lines' && Array.isArray(hint)) return hint.join('\n')
  if (kind === 'pairs') return ''
  return typeof hint === 'string' && kind !== 'json' ? hint : JSON.stringify(hint, null, 2)
}

type ChoiceProps = Pick<InputProps, 'schema' | 'required' | 'value' | 'set'>

function Choice({ schema, required, value, set }: ChoiceProps) {
  const choices = choicesOf(schema) ?? choicesOf(schema.anyOf?.[0] ?? {}) ?? []
  const says = { true: words.yes, false: words.no }
  return (
    <select value={value} required={required} onChange={e => set(e.currentTarget.value)}>
      <option value="">{required ? '' : form_words.not_said}</option>
      {choices.map(one => (
        <option key={one} value={one}>
          {schema.type === 'boolean' ? says[one as 'true'] : one}
        </option>
      ))}
    </select>
  )
}
