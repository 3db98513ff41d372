/** A short table inside a page; long lists are `Rows`. */
import type { ComponentChildren } from 'preact'
import { nameOf } from './language.ts'
import { plain, type Row } from './operation.ts'

type Props = {
  readonly title: string
  readonly columns: readonly string[]
  readonly rows: readonly Row[]
  cell(row: Row, name: string, place: number): ComponentChildren
}

export function Table({ title, columns, rows, cell }: Props) {
  return (
    // No landmark: a page may have several tables of one title, as the prices of each variant.
    <div class="scroll" tabIndex={0} role="group" aria-label={title}>
      <table>
        <thead>
          <tr>
            {columns.map(name => (
              <th key={name} scope="col">
                {nameOf(name)}
              </th>
            ))}
          </tr>
        </thead>
        <tbody>
          {rows.map((row, at) => (
            <tr key={plain(row['id']) || at}>
              {columns.map((name, place) => (
                <td key={name}>{cell(row, name, place)}</td>
              ))}
            </tr>
          ))}
        </tbody>
      </table>
    </div>
  )
}
