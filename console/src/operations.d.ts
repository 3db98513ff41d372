/** The catalog of operations. The bundle makes it from the platform's OpenAPI document. */
declare module 'dodeca:operations' {
  const catalog: unknown
  export default catalog
}
