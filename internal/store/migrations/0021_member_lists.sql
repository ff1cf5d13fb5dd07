-- The deliveries of a webhook, the newest first, as members page through them.
create index webhook_deliveries_listed on webhook_deliveries (webhook_id, created_at, id);
