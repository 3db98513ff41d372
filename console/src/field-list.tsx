/** The members of an item, each by its kind. */
import { nameOf } from './language.ts'
import type { Row } from './operation.ts'
import { Value } from './value.tsx'

export function FieldList({ row }: { readonly row: Row }) {
  return (
    <dl class="fields">
      {Object.entries(row).map(([name, value]) => (
        <div key={name}>
          <dt>{nameOf(name)}</dt>
          <dd>
            <Value name={name} value={value} row={row} />
          </dd>
        </div>
      ))}
    </dl>
  )
}
