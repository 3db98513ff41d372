-- The W3C trace in which the job was submitted; its attempts and its end continue it.
alter table jobs.jobs add column traceparent text;
