/** Finds the test file of virus scanners in bytes that arrive in pieces. */

/**
 * The signature as its makers spell it. It is in two pieces here, so that no scanner reports this
 * source file.
 */
const eicar = Buffer.from(
  ['X5O!P%@AP[4\\PZX54(P^)7CC)7}$', 'EICAR-STANDARD-ANTIVIRUS-TEST-FILE!$H+H*'].join(''),
)

/** The function takes one piece after another, and returns whether they had it so far. */
export function openEicarSearch(): (piece: Buffer) => boolean {
  let found = false
  let before = Buffer.alloc(0)
  return piece => {
    if (found) return true
    const joined = Buffer.concat([before, piece])
    found = joined.includes(eicar)
    before = Buffer.from(joined.subarray(-eicar.length + 1))
    return found
  }
}
