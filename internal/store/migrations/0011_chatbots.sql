-- What the first interface knows of agents and nobody else does: an object, written as it was sent. Also their pictures.

alter table agents add column v1 text;

alter table agents add column icon_blob text;

alter table agents add column picture_blob text;
