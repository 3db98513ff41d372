/** A thing belongs to the person who made it. */
import { given, record, resource, text } from 'dodeca'

const thing = record('example.things', {
  noun: 'thing',
  tombstone: true,
  fields: {
    title: given(text(200)),
  },
})

export const things = resource(thing, {
  path: '/v1/things',
  one: 'thing',
  many: 'things',
  of: 'owner',
  most: 10_000,
  kept_days: 30,
})
