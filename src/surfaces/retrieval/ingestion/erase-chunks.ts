/** Deletes chunks with their texts, their records, and vectors that no other chunk uses. */
import { Type } from 'typebox'
import { sql, type Sql, type Tx } from '#dodeca/kernel'
import { Bytes } from '../schemas.ts'

const Gone = Type.Object({ content_hash: Bytes })

/** `which` is a condition on `retrieval.chunks c`. */
export async function eraseChunks(tx: Tx, tenant_id: string, which: Sql): Promise<void> {
  const gone = await tx.many(
    Gone,
    sql`
      with gone as (
        delete from retrieval.chunks c where c.tenant_id = ${tenant_id} and ${which}
        returning c.id, c.text_ref, c.content_hash
      ), texts as (
        delete from retrieval.chunk_texts t using gone
        where t.tenant_id = ${tenant_id} and t.id = gone.text_ref
      ), records as (
        delete from retrieval.embedding_records r using gone
        where r.tenant_id = ${tenant_id} and r.chunk_id = gone.id
      )
      select distinct content_hash from gone`,
  )
  const hashes = gone.map(one => one.content_hash)
  // A separate statement, so that it sees a vector whose writer held the lock on the chunk until
  // now.
  await tx.run(sql`
    delete from retrieval.embeddings e
    where e.tenant_id = ${tenant_id} and e.content_hash = any(${hashes}::bytea[])
      and not exists (select from retrieval.chunks c
        where c.tenant_id = e.tenant_id and c.content_hash = e.content_hash)`)
}
