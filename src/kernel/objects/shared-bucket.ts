/**
 * Marks of cells in a store. An object without a row here may belong to another cell, so each cell
 * leaves a mark in its store, and none removes what it does not know while another one has a mark. A
 * store without the mark of this cell may be another one, so it proves no loss. A tenant that was
 * imported with its objects in place is in two cells until one deletes it: a mark of the tenant counts
 * each further cell that uses these objects. Whatever fails on the way leaves a mark too many, so
 * objects stay and none is lost.
 */
import type { Objects } from './objects.ts'

type Bucket = Pick<Objects, 'engine' | 'head' | 'put' | 'list' | 'delete'>

const cellMark = (cell_id: string) => `cells/${cell_id}`
const tenantMark = (tenant_id: string, cell_id: string) => `tenants/${tenant_id}/${cell_id}`

/** Only a bucket: with the folders of a machine, an import copies the objects of a tenant. */
export const canBeShared = ({ engine }: Pick<Objects, 'engine'>): boolean => engine === 's3'

export async function joinBucket(objects: Bucket, cell_id: string): Promise<void> {
  await leaveMark(objects, cellMark(cell_id))
}

export async function hasJoined(objects: Pick<Objects, 'head'>, cell_id: string): Promise<boolean> {
  return (await objects.head(cellMark(cell_id))) !== undefined
}

/** Whether another cell has left its mark. */
export async function hasOtherCells(objects: Bucket, cell_id: string): Promise<boolean> {
  for await (const { key } of objects.list('cells')) if (key !== cellMark(cell_id)) return true
  return false
}

/** One more cell uses the objects of the tenant. */
export async function shareTenant(
  objects: Bucket,
  tenant_id: string,
  cell_id: string,
): Promise<void> {
  await leaveMark(objects, tenantMark(tenant_id, cell_id))
}

export async function unshareTenant(
  objects: Bucket,
  tenant_id: string,
  cell_id: string,
): Promise<void> {
  await objects.delete(tenantMark(tenant_id, cell_id))
}

/** Whether the objects of the tenant belong to another cell too. */
export async function isTenantShared(objects: Bucket, tenant_id: string): Promise<boolean> {
  return (await marksOf(objects, tenant_id)).length > 0
}

/** This cell has deleted the tenant: one cell fewer uses the objects. Its own mark goes first. */
export async function leaveTenant(
  objects: Bucket,
  tenant_id: string,
  cell_id: string,
): Promise<void> {
  const marks = await marksOf(objects, tenant_id)
  const own = tenantMark(tenant_id, cell_id)
  const mark = marks.includes(own) ? own : marks[0]
  if (mark !== undefined) await objects.delete(mark)
}

async function marksOf(objects: Bucket, tenant_id: string): Promise<string[]> {
  if (!canBeShared(objects)) return []
  const marks: string[] = []
  for await (const { key } of objects.list(`tenants/${tenant_id}`)) marks.push(key)
  return marks
}

async function leaveMark(objects: Bucket, key: string): Promise<void> {
  if (!(await objects.head(key))) await objects.put(key, Buffer.from(key))
}
