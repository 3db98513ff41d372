/** What the bundle makes from the platform's OpenAPI document. */
declare module 'dodeca:operations' {
  const catalog: unknown
  export default catalog
}

/** The places of the surfaces of an application. */
declare module 'dodeca:places' {
  const places: unknown
  export default places
}
