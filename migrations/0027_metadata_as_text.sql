-- The metadata of an organization is its text. Before, the column had the JSON of the text, and clients saw its quotes. An empty text meant none.
update organization set metadata = case when json_valid(metadata) then metadata ->> '$' end where metadata is not null;
