drop trigger moderation_actions_kept on social.moderation_actions;
drop function social.refuse_change;
select kernel.make_append_only('social.moderation_actions');
