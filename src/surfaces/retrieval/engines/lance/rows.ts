/**
 * Rows of an index table as Arrow columns. The vectors of a batch are one block of memory, because
 * converting them number by number would take longer than the insert.
 */
import {
  Field,
  FixedSizeList,
  Float32,
  Int32,
  Int64,
  List,
  makeData,
  RecordBatch,
  Schema,
  Struct,
  Table,
  Utf8,
  vectorFromArray,
  type Data,
  type DataType,
} from 'apache-arrow'
import { IndexFailed, type IndexRow, type IndexSpec } from '../index.ts'

const field = (name: string, type: DataType) => new Field(name, type, false)
const items = new List(new Field('item', new Int64(), true))

export function schemaOf({ dimensions, language }: IndexSpec): Schema {
  const vector = new FixedSizeList(dimensions, new Field('item', new Float32(), true))
  return new Schema(
    [
      field('chunk_id', new Utf8()),
      field('document_no', new Int64()),
      field('document_version', new Int32()),
      field('chunk_version', new Utf8()),
      field('acl_set_id', new Int64()),
      field('facets', items),
      field('context', new Utf8()),
      field('text', new Utf8()),
      field('vector', vector),
    ],
    new Map([
      ['dimensions', String(dimensions)],
      ['language', language],
    ]),
  )
}

export function specOf({ metadata }: { metadata: Map<string, string> }): IndexSpec {
  return {
    dimensions: Number(metadata.get('dimensions')),
    language: metadata.get('language') ?? '',
  }
}

/** LanceDB loads its own copy of Arrow, so the schema that it returns cannot be used here. */
export function tableOf(rows: readonly IndexRow[], spec: IndexSpec): Table {
  const schema = schemaOf(spec)
  const columns: Data[] = [
    dataOf(
      rows.map(row => row.chunk_id),
      new Utf8(),
    ),
    integers(rows.map(row => row.document_no)),
    makeData({ type: new Int32(), data: Int32Array.from(rows, row => row.document_version) }),
    dataOf(
      rows.map(row => row.chunk_version),
      new Utf8(),
    ),
    integers(rows.map(row => row.acl_set_id)),
    dataOf(
      rows.map(row => row.facets),
      items,
    ),
    dataOf(
      rows.map(row => row.context),
      new Utf8(),
    ),
    dataOf(
      rows.map(row => row.text),
      new Utf8(),
    ),
    vectors(rows, spec.dimensions),
  ]
  const struct = makeData({
    type: new Struct(schema.fields),
    length: rows.length,
    nullCount: 0,
    children: columns,
  })
  return new Table(schema, [new RecordBatch(schema, struct)])
}

function dataOf(values: readonly unknown[], type: DataType): Data {
  const [data] = vectorFromArray(values, type).data
  if (!data) throw new IndexFailed('engine_failed', 'There are no rows to write.')
  return data
}

function integers(values: readonly number[]): Data {
  return makeData({ type: new Int64(), data: BigInt64Array.from(values, BigInt) })
}

function vectors(rows: readonly IndexRow[], dimensions: number): Data {
  const data = new Float32Array(rows.length * dimensions)
  for (const [at, { vector }] of rows.entries()) {
    if (vector.length !== dimensions) {
      throw new IndexFailed('engine_failed', `The table has vectors of ${dimensions} dimensions.`)
    }
    data.set(vector, at * dimensions)
  }
  const type = new Float32()
  return makeData({
    type: new FixedSizeList(dimensions, new Field('item', type, true)),
    length: rows.length,
    nullCount: 0,
    child: makeData({ type, data }),
  })
}
