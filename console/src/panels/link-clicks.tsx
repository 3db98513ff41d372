/** The clicks of a link over the last days, their sources, and the link's QR code. */
import { Bars } from '../chart.tsx'
import { nameOf, words } from '../language.ts'
import { useLive } from '../live.ts'
import { callOperation, type Row } from '../operation.ts'
import { Picture } from '../picture.tsx'
import { ProblemBox } from '../problem-box.tsx'
import { mayCall } from '../resource.ts'
import { useRead } from '../use-read.ts'
import { textOf } from '../value.tsx'
import type { PanelProps } from './panel.ts'

type Counted = { readonly key: string; readonly clicks: number }
type Stats = {
  readonly totals: { readonly clicks: number; readonly bots: number }
  readonly series: readonly Row[]
  readonly dimensions: Readonly<Record<string, readonly Counted[]>>
}

const dimensions = 'country,device,referrer'
const shown_max = 5

export function LinkClicks({ row, path }: PanelProps) {
  return (
    <div class="panel">
      {mayCall('getLinkStats') && <Clicks row={row} path={path} />}
      <QrCode row={row} path={path} />
    </div>
  )
}

type Props = Pick<PanelProps, 'row' | 'path'>

function aboutOf({ row, path }: Props) {
  const query = typeof row['domain'] === 'string' ? { domain: row['domain'] } : {}
  return { about: JSON.stringify([path, query]), query }
}

function Clicks({ row, path }: Props) {
  const { about, query } = aboutOf({ row, path })
  const read = useRead(`clicks ${about}`, async signal => {
    const asked = { path, query: { ...query, dimensions }, signal }
    return (await callOperation('getLinkStats', asked)) as Stats
  })
  useLive(['link.'], read.reload)
  const { data, error } = read
  return (
    <section class="card">
      <h2>{nameOf('clicks')}</h2>
      {error !== undefined && <ProblemBox error={error} retry={read.reload} />}
      {data && (
        <>
          <p class="figure">{textOf({ name: '', value: data.totals.clicks, row })}</p>
          {data.totals.clicks === 0 ? (
            <p class="soft">{words.clicks_none}</p>
          ) : (
            <Bars rows={data.series} x="day" y="clicks" />
          )}
          <div class="shares">
            {Object.entries(data.dimensions).map(([name, counted]) => (
              <Shares key={name} name={name} counted={counted.slice(0, shown_max)} />
            ))}
          </div>
        </>
      )}
    </section>
  )
}

function Shares({
  name,
  counted,
}: {
  readonly name: string
  readonly counted: readonly Counted[]
}) {
  if (counted.length === 0) return null
  return (
    <section>
      <h3>{nameOf(name)}</h3>
      <ul class="plain">
        {counted.map(({ key, clicks }) => (
          <li key={key}>
            <bdi>{key}</bdi> <strong>{clicks}</strong>
          </li>
        ))}
      </ul>
    </section>
  )
}

function QrCode({ row, path }: Props) {
  const { about, query } = aboutOf({ row, path })
  const { data, error } = useRead(`qr ${about}`, async signal => {
    const asked = { path, query, signal, parseAs: 'blob' } as const
    return (await callOperation('getLinkQrCode', asked)) as Blob
  })
  return (
    <section class="card">
      <h2>{words.qr_code}</h2>
      {error !== undefined && <ProblemBox error={error} />}
      {data && <Picture blob={data} label={words.qr_code} />}
    </section>
  )
}
