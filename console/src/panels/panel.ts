/** What an item shows above its fields, where fields are not enough. */
import type { FunctionComponent } from 'preact'
import type { Row } from '../operation.ts'

export type PanelProps = {
  readonly row: Row
  /** Of the operation that reads the item. */
  readonly path: Readonly<Record<string, string>>
  /** From the address: what to show of it. */
  readonly filters: Readonly<Record<string, string>>
}

export type Panel = FunctionComponent<PanelProps>
