/** The refusals of a declared list: orders and exports that it cannot give. */

export const listErrors = {
  sort_needs_filter: {
    status: 422,
    title: 'The order needs a filter',
    cause: 'The values of this order compare only among rows with the same value of a filter.',
    cure: 'Add the filter that the detail names.',
  },
  export_unsorted: {
    status: 422,
    title: 'An export has the order of the list',
    cause: 'An export with another order could contain a row twice.',
    cure: 'Leave `sort` out, and sort the file.',
  },
  export_too_large: {
    status: 422,
    title: 'The export is too large',
    cause: 'The list has more rows than one export may have.',
    cure: 'Ask for two parts: `since` the time in `split_at`, then `until` it.',
  },
  export_unbounded: {
    status: 422,
    title: 'The export would read too many rows',
    cause: 'The filter has no index, and too many rows would be read for it.',
    cure: 'Ask for a shorter range with `since` and `until`.',
  },
} as const
