/** The fields of a new resource, as the command line names them. */
import { StartError } from '#dodeca/kernel'

export type NewField = {
  readonly name: string
  readonly code: string
  readonly column: string
  /** What the code imports. */
  readonly uses: readonly string[]
}

type Kind = Omit<NewField, 'name'>

const kinds: Readonly<Record<string, Kind>> = {
  text: { code: 'given(text(200))', column: 'text', uses: ['given', 'text'] },
  words: { code: "defaulted(text(2000, 0), '')", column: 'text', uses: ['defaulted', 'text'] },
  integer: { code: 'given(count(0, 1e9))', column: 'bigint', uses: ['given', 'count'] },
  money: { code: 'given(PositiveAmount)', column: 'bigint', uses: ['given', 'PositiveAmount'] },
  boolean: {
    code: 'defaulted(Type.Boolean(), false)',
    column: 'boolean',
    uses: ['defaulted', 'Type'],
  },
  time: { code: 'given(Time)', column: 'timestamptz', uses: ['given', 'Time'] },
  day: { code: 'given(Day)', column: 'date', uses: ['given', 'Day'] },
  id: { code: 'given(Id)', column: 'uuid', uses: ['given', 'Id'] },
}

/** Columns that every resource has. */
const taken = 'tenant_id id owner_id version created_at updated_at deleted_at'.split(' ')

export function parseFields(given: readonly string[]): NewField[] {
  const fields = (given.length > 0 ? given : ['title:text']).map(parseField)
  const twice = fields.find(({ name }, at) => fields.findIndex(one => one.name === name) < at)
  if (twice) throw new StartError(`There are two fields ${twice.name}. Give each another name.`)
  return fields
}

function parseField(given: string): NewField {
  const [name = '', type = ''] = given.split(':')
  if (!/^[a-z][a-z0-9_]{0,40}$/.test(name) || taken.includes(name)) {
    throw new StartError(
      `A field cannot be called ${name}: it has small letters, digits and _, and is none of ${taken.join(', ')}.`,
    )
  }
  if (type === 'money' && !name.endsWith('_minor')) {
    throw new StartError(`Money is counted in its smallest unit: call the field ${name}_minor.`)
  }
  return { name, ...(Object.hasOwn(kinds, type) ? kinds[type] : choiceOf(name, type)) } as NewField
}

function choiceOf(name: string, type: string): Kind {
  const values = type.split('/')
  if (values.length < 2 || values.some(value => !/^[a-z][a-z0-9_]{0,40}$/.test(value))) {
    throw new StartError(
      `The field ${name} needs a type: one of ${Object.keys(kinds).join(', ')}, or a choice such as open/won.`,
    )
  }
  const words = values.map(value => `'${value}'`)
  return {
    code: `defaulted(oneOf(${words.join(', ')}), ${words[0]})`,
    column: 'text',
    uses: ['defaulted', 'oneOf'],
  }
}
