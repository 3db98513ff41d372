/** Other surfaces ask nothing of the notes; tests read their projection. */
export type Face = { written(tenant_id: string): Promise<number> }
