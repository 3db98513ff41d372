/**
 * What rows have in the column `provider`: the account whose objects they name. The platform's own
 * account has the name of its provider, such as `stripe`, and one of a tenant is `stripe:<id>`. So the
 * ids of two accounts are never mistaken for each other.
 */
export function accountKey({ provider, id }: { provider: string; id: string }): string {
  return `${provider}:${id}`
}

/** Null for the platform's own account. */
export function accountIdOf(key: string): string | null {
  return key.split(':')[1] ?? null
}

export function vendorOf(key: string): string {
  return key.split(':')[0] ?? key
}
