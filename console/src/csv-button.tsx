/** All rows of a list with its filters, as a file for a spreadsheet. */
import { useState } from 'preact/hooks'
import { words } from './language.ts'
import { callOperation, type OperationId } from './operation.ts'
import { ProblemBox } from './problem-box.tsx'

type Props = {
  readonly list: OperationId
  readonly path: Readonly<Record<string, string>>
  readonly filters: Readonly<Record<string, string>>
}

export function CsvButton({ list, path, filters }: Props) {
  const [busy, setBusy] = useState(false)
  const [problem, fail] = useState<unknown>()
  const save = async () => {
    setBusy(true)
    fail(undefined)
    try {
      // A file has the order of the list, whatever the page shows.
      const { sort: _sort, ...query } = filters
      const headers = { accept: 'text/csv' }
      offer((await callOperation(list, { path, query, headers, parseAs: 'blob' })) as Blob, list)
    } catch (error) {
      fail(error)
    }
    setBusy(false)
  }
  return (
    <>
      <button type="button" disabled={busy} onClick={() => void save()}>
        {busy ? words.loading : words.csv}
      </button>
      {problem !== undefined && <ProblemBox error={problem} />}
    </>
  )
}

function offer(file: Blob, name: string): void {
  const link = document.createElement('a')
  link.href = URL.createObjectURL(file)
  link.download = `${name.replace(/^list/, '').toLowerCase()}.csv`
  link.click()
  // The browser has begun to read the file by then.
  setTimeout(() => URL.revokeObjectURL(link.href), 60_000)
}
