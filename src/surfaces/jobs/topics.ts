/** Wakes what runs or claims jobs, in every process. */
export const runner_topic = 'jobs.runner'
