mod calls;
mod oracle;
mod reading;
