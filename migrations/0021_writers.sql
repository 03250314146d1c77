-- The object that writes a turn's answer: that of whoever asked, which a guest's turn keeps when the guest becomes an account. Null for turns
-- of earlier releases; each of those had an object of its own, named by the turn's id.
alter table generation add column writer text;
