/** The catalog of operations, which the bundle takes from the platform's OpenAPI document. */
declare module 'dodeca:operations' {
  const catalog: unknown
  export default catalog
}
