-- Whether anything in a thread is deleted: asked of each thread with files when their person's storage is full (worker/db/storage-room.ts), where
-- reading a thread's messages to find out would read what they say. Written only when a message is deleted or comes back.
create index message_deleted_thread on message (threadId) where deletedAt is not null;
