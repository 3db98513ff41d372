/** The scope of the session of an anonymous account. `anonymous` lets it become a person. */
export function scopeOfAnonymous(settings: {
  readonly 'identity.anonymous_scopes': readonly string[]
}): string[] {
  return [...new Set(['anonymous', 'openid', ...settings['identity.anonymous_scopes']])]
}
