/**
 * Proves the ownership of a host by a value in a TXT record. The record is on a label of its own, so
 * that it does not conflict with a CNAME. A stored hash is enough to recognize the value in later
 * checks.
 */
import { createHash } from 'node:crypto'
import { newSecret } from '../ids.ts'

export type NewProof = { readonly record_value: string; readonly hash: Buffer }

type Proofs = {
  make(): NewProof
  recordName(hostname: string): string
  isProof(records: readonly string[], hash: Uint8Array): boolean
}

/** `use` keeps the records of one use from counting for another. */
export function openProofs(use: string): Proofs {
  return {
    make: () => {
      const record_value = `${use}-verification=${newSecret(32)}`
      return { record_value, hash: proofHash(record_value) }
    },
    recordName: hostname => `_${use}-challenge.${hostname}`,
    isProof: (records, hash) => records.some(record => proofHash(record.trim()).equals(hash)),
  }
}

function proofHash(record_value: string): Buffer {
  return createHash('sha256').update(record_value).digest()
}
